"""Counting what a replay printed: the summary, and the last line of every round."""

from controller.feed.json_report import Json


class Summary:
    """Counts the objects of a replay. A round counts with its last line."""

    def __init__(self) -> None:
        """Nothing counted yet."""
        self.feeds = 0
        self._refused = 0
        self._alerts = 0
        self._disputes = 0
        self._holds = 0
        self._inferred = 0
        self.at_table = False
        """Whether holds and what was inferred are counted as well."""
        self._rounds: dict[tuple[str, int], Json] = {}

    @property
    def unclean(self) -> bool:
        """Whether there was any refusal, alert or dispute (`--strict`)."""
        return bool(self._refused or self._alerts or self._disputes or self._holds)

    def count(self, line: Json) -> None:
        """Take one object of the replay."""
        match line["type"]:
            case "refused":
                self._refused += 1
            case "alert":
                self._alerts += 1
            case "dispute":
                self._disputes += 1
            case "hold":
                self._holds += 1
            case "inferred":
                self._inferred += 1
            case "round":
                self._rounds[line["feed"], line["round"]] = line

    def rounds(self) -> list[Json]:
        """The last line of each round, in order."""
        return list(self._rounds.values())

    def summary(self) -> Json:
        """The `summary` object; amounts are those of settled and voided rounds."""
        rounds = self.rounds()
        bets = [bet for line in rounds if line["status"] in ("settled", "voided") for bet in line["bets"]]
        statuses = [line["status"] for line in rounds]
        counts = {"holds": self._holds, "inferred": self._inferred} if self.at_table else {}
        return {
            "type": "summary",
            "feeds": self.feeds,
            "rounds": len(rounds),
            "settled": statuses.count("settled"),
            "voided": statuses.count("voided"),
            "disputed": statuses.count("disputed"),
            "refused": self._refused,
            "alerts": self._alerts,
            "staked": sum(bet["staked"] for bet in bets),
            "returned": sum(bet["returned"] for bet in bets),
            **counts,
        }
