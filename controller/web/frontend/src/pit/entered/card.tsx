// A card of a closed round: what it is in truth, that it is none of the round, or where it belongs.
import { useState } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import { cardName } from "../../i18n/sentences";
import { RankKeys } from "../../shared/rank-keys";
import { rulingOf, type Truth } from "../card-ruling";
import { Choices } from "../choices";
import { StruckAs } from "../struck-as";
import { DEALER, type Place } from "../targets";
import { cardsAt, roundOf, type TruthProps } from "./subject";
import { useTrial } from "./use-trial";

/** Lists the cards that lay there, and asks for the truth about one of them. */
export function CardTruth({ subject, facts, by, onTrial }: TruthProps) {
  const i18n = useI18n();
  const cards = cardsAt(facts, subject.box);
  const [card, setCard] = useState(subject.card ?? cards[0]?.card.card ?? 0);
  const [truth, setTruth] = useState<Truth | null>(null);
  const fact = rulingOf(card, truth, by);
  useTrial(fact && { ...fact, ...roundOf(facts) }, onTrial);
  const places: Place[] = [
    { box: DEALER, hand: 1 },
    ...facts.boxes.flatMap(({ box, hands }) => hands.map(({ hand }) => ({ box, hand }))),
  ];
  const out = truth?.is === "burn" || truth?.is === "strike" ? truth : null;
  return (
    <>
      <Choices
        legend={i18n.text("ui.which_card")}
        choices={cards.map((one) => ({
          value: one.card.card,
          label: `${one.card.card}. ${cardName(one.card, i18n)}`,
          name: `card-${one.card.card}`,
        }))}
        chosen={card}
        onChoose={setCard}
      />
      <h3>{i18n.text("ui.card_really_is")}</h3>
      <div class="ranks compact">
        <RankKeys
          chosen={truth?.is === "rank" ? truth.rank : null}
          onRank={(rank) => setTruth({ is: "rank", rank })}
        />
      </div>
      <h3>{i18n.text("ui.not_of_round")}</h3>
      <Choices
        legend={i18n.text("ui.not_of_round")}
        choices={[
          { value: "burn" as const, label: i18n.text("key.STRIKE"), name: "burn" },
          { value: "strike" as const, label: i18n.text("key.STRIKE_OUT"), name: "strike" },
        ]}
        chosen={out?.is}
        onChoose={(is) => setTruth({ is })}
      />
      {out && <StruckAs chosen={out.as} onChoose={(as) => setTruth({ is: out.is, ...(as ? { as } : {}) })} />}
      <h3>{i18n.text("ui.belongs_to")}</h3>
      <Choices
        legend={i18n.text("ui.belongs_to")}
        choices={places.map((place) => ({
          value: `${place.box}.${place.hand}`,
          label: place.box === DEALER ? i18n.text("ui.dealer") : i18n.text("ui.box_hand", { ...place }),
          name: `to-${place.box}.${place.hand}`,
        }))}
        chosen={truth?.is === "place" ? `${truth.place.box}.${truth.place.hand}` : undefined}
        onChoose={(name) => {
          const place = places.find((one) => `${one.box}.${one.hand}` === name);
          if (place) setTruth({ is: "place", place });
        }}
      />
    </>
  );
}
