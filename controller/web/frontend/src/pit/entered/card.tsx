// A card: what it is in truth by rank and suit, that it is none of the round, or where it belongs.
import { useState } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import { cardPlace, placeName } from "../../i18n/sentences";
import type { TableView } from "../../view";
import { AnyCard, type Choice, chosenOf } from "../any-card";
import { type Place, rulingOf, type Truth } from "../card-ruling";
import { Choices } from "../choices";
import { StruckAs } from "../struck-as";
import { roundOf, type Subject, type TruthProps } from "./subject";
import { useTrial } from "./use-trial";

/** What the way or the answer that was pressed says already. */
function chosenBy({ way, rank }: Subject, recorded: Choice): Truth | null {
  if (rank) return { is: "card", rank, suit: recorded.suit };
  return way === "strike" || way === "burn" ? { is: way } : null;
}

/** The keys of one card: thirteen ranks and four suits, and behind a key of their own all that is no other card. */
export function CardTruth({ subject, facts, view, ways, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const card = subject.card ?? 0;
  const found = cardPlace(view, card);
  const recorded = chosenOf(found?.card ?? { rank: null, suit: null });
  const [truth, setTruth] = useState(chosenBy(subject, recorded));
  const may = (way: "correct" | "burn" | "strike" | "move"): boolean => ways === null || ways.has(way);
  const [elsewhere, setElsewhere] = useState(
    !may("correct") || (subject.way !== undefined && subject.way !== "correct"),
  );
  const fact = rulingOf(card, truth, by);
  useTrial(fact && { ...fact, ...roundOf(facts) }, onTrial);
  const choose = ({ rank, suit }: Choice): void => {
    const other = rank && (rank !== recorded.rank || suit !== recorded.suit);
    setTruth(other ? { is: "card", rank, suit } : null);
  };
  const outs = (["burn", "strike"] as const).filter(may);
  if (!elsewhere) {
    return (
      <AnyCard choice={truth?.is === "card" ? truth : recorded} recorded={recorded} onChoose={choose}>
        {(outs.length > 0 || may("move")) && (
          <button type="button" class="rank-key other" data-rank="none" onClick={() => setElsewhere(true)}>
            {i18n.text("ui.no_card_here")}
          </button>
        )}
      </AnyCard>
    );
  }
  const out = truth?.is === "burn" || truth?.is === "strike" ? truth : null;
  return (
    <>
      {!(subject.way && ways?.size === 1) && outs.length > 0 && (
        <Choices
          legend={i18n.text("ui.not_of_round")}
          choices={outs.map((value) => ({
            value,
            label: i18n.text(value === "burn" ? "key.STRIKE" : "key.STRIKE_OUT"),
            name: value,
          }))}
          chosen={out?.is}
          onChoose={(is) => setTruth({ is })}
        />
      )}
      {out && <StruckAs chosen={out.as} onChoose={(as) => setTruth({ is: out.is, ...(as ? { as } : {}) })} />}
      {may("move") && (
        <>
          <h3>{i18n.text("ui.belongs_to")}</h3>
          <Choices
            legend={i18n.text("ui.belongs_to")}
            choices={placesOf(view).map(({ split, ...place }) => ({
              value: `${place.box}.${place.hand}`,
              label: placeName({ ...place, split }, i18n),
              name: `to-${place.box}.${place.hand}`,
            }))}
            chosen={truth?.is === "place" ? `${truth.place.box}.${truth.place.hand}` : undefined}
            onChoose={(name) => {
              const [box = 0, hand = 1] = name.split(".").map(Number);
              setTruth({ is: "place", place: { box, hand } });
            }}
          />
        </>
      )}
      {may("correct") && (
        <button type="button" class="plain" data-rank="back" onClick={() => setElsewhere(false)}>
          ‹ {i18n.text("ui.rank_and_suit")}
        </button>
      )}
    </>
  );
}

/** The dealer, then every hand in play. */
const placesOf = ({ boxes }: TableView): (Place & { split: boolean })[] => [
  { box: 0, hand: 1, split: false },
  ...boxes
    .filter(({ stake }) => stake !== null)
    .flatMap(({ box, hands }) =>
      hands.length === 0
        ? [{ box, hand: 1, split: false }]
        : hands.map(({ hand }) => ({ box, hand, split: hands.length > 1 })),
    ),
];
