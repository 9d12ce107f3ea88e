// The table on a phone: the dealer's hand, the box in question with large cards, and all boxes as a strip to look at.
import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { boxSentence, dealerSentence, placedCard } from "../i18n/sentences";
import type { BoxView, HandView, TableView } from "../view";
import { ChipKinds, MixedStack } from "./box";
import { type AnyCard, type CardPick, Fan } from "./cards";
import { handLabel } from "./hands";
import { CARD_HEIGHT } from "./layout";
import type { TableProps } from "./table";

const LARGE = 88;
const SMALL = 60;
const MARGIN = 4;

/**
 * Looking at another box never changes whose turn it is; while bets are open a press also lays what is in hand there,
 * or chooses the box, as a press on the large circle does.
 */
export function PhoneTable({ view, prompt, selected = null, lays = false, onBox, onCard }: TableProps) {
  const i18n = useI18n();
  const asked = selected ?? prompt.box;
  const [looked, setLooked] = useState<number | null>(null);
  // What the line is about comes back with every new line.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line is what it waits for, not what it reads.
  useEffect(() => setLooked(null), [asked, prompt.line.code]);
  const number = looked ?? asked ?? view.boxes.find((one) => one.stake !== null)?.box ?? 1;
  const box = view.boxes.find((one) => one.box === number);
  const pick = onCard && {
    name: (card: number) => placedCard(view, card, i18n),
    press: onCard,
  };
  // Only the pit presses cards: there a look at a box must not open what puts its stake right.
  const pit = onCard !== undefined;
  const betting = !pit && prompt.bar.chips.length > 0;
  const look = (to: number): void => {
    setLooked(to);
    if (betting) onBox?.(to);
  };
  return (
    <ChipKinds.Provider value={view.chips}>
      <section
        class="phone-table stack gap-6 whole-height clip"
        data-tone={prompt.tone}
        aria-label={i18n.text("ui.table_picture")}
      >
        <div class="phone-dealer" data-dealer role="group" aria-label={dealerSentence(view.dealer, i18n)}>
          <small class="size-14">{i18n.text("ui.dealer")}</small>
          <Cards cards={view.dealer.cards} width={SMALL} pick={pick} />
          {view.dealer.total !== null && <b class="total weight-800 nowrap ground-0">{view.dealer.total}</b>}
        </div>
        {box && (
          <InQuestion
            box={box}
            glow={number === asked}
            hand={prompt.box === number ? prompt.hand : null}
            pick={pick}
            lays={lays}
            onPress={onBox && (pit || betting || box.press?.enabled) ? () => onBox(number) : undefined}
          />
        )}
        <Strip view={view} chosen={number} asked={asked} lays={lays} onLook={look} />
      </section>
    </ChipKinds.Provider>
  );
}

interface QuestionProps {
  box: BoxView;
  glow: boolean;
  hand: number | null;
  pick: CardPick | undefined;
  /** A press lays a chip, so that Enter must not be one. */
  lays: boolean;
  onPress: (() => void) | undefined;
}

function InQuestion({ box, glow, hand, pick, lays, onPress }: QuestionProps) {
  const i18n = useI18n();
  const stakes = box.seats.map((seat) => i18n.chips(seat.stake)).join(" + ");
  return (
    <div
      class={glow ? "phone-box glow stack fill low clip within" : "phone-box stack fill low clip within"}
      data-box={box.box}
    >
      <p class="flex gap-10 size-16">
        <span>{i18n.text("ui.box", { box: box.box })}</span>
        <b class="stake">{stakes}</b>
      </p>
      {box.hands.map((one) => (
        <div
          key={one.hand}
          class={one.hand === hand ? "phone-hand acts low" : "phone-hand low"}
          data-hand={`${box.box}.${one.hand}`}
        >
          <Cards cards={one.cards} width={box.hands.length > 1 ? SMALL : LARGE} pick={pick} />
          <b class={`weight-800 nowrap ground-0 total ${lookOf(one)}`}>{handLabel(one, i18n)}</b>
        </div>
      ))}
      <button
        type="button"
        class="phone-circle"
        disabled={!onPress}
        aria-label={boxSentence(box, i18n)}
        data-space-only={lays || undefined}
        onClick={onPress}
      >
        <svg viewBox="0 0 84 84" aria-hidden="true">
          <circle class="ring" cx={42} cy={42} r={38} />
          {box.stake !== null && <MixedStack x={42} y={46} radius={27} chips={box.chips} />}
        </svg>
      </button>
    </div>
  );
}

const lookOf = ({ outcome }: HandView): string => outcome ?? "";

interface StripProps {
  view: TableView;
  chosen: number;
  asked: number | null;
  lays: boolean;
  onLook: (box: number) => void;
}

/** Number, total (of three hands and more how many), stake: seven boxes from the dealer's left. */
function Strip({ view, chosen, asked, lays, onLook }: StripProps) {
  const i18n = useI18n();
  return (
    <div class="phone-strip grid gap-4 ground-0">
      {view.boxes.map((box) => (
        <button
          key={box.box}
          type="button"
          class={box.box === asked ? "glow row clip edge-key round-10" : "row clip edge-key round-10"}
          data-strip={box.box}
          aria-pressed={box.box === chosen}
          aria-label={boxSentence(box, i18n)}
          data-space-only={lays || undefined}
          onClick={() => onLook(box.box)}
        >
          <small class="size-14">{box.box}</small>
          <b class="size-16 nowrap">
            {box.hands.length > 2
              ? `${box.hands.length}×`
              : box.hands.map((hand) => (hand.blackjack ? i18n.text("ui.bj") : hand.total)).join("·") || "–"}
          </b>
          <small class="stake size-14">{box.stake === null ? "–" : i18n.chips(box.stake)}</small>
        </button>
      ))}
    </div>
  );
}

function Cards({
  cards,
  width,
  pick,
}: {
  cards: readonly AnyCard[];
  width: number;
  pick: CardPick | undefined;
}) {
  if (cards.length === 0) return null;
  const room = Math.min(width * (1 + 0.6 * (cards.length - 1)), width * 2.4);
  const across = room + 2 * MARGIN;
  const high = width * CARD_HEIGHT + 2 * MARGIN;
  return (
    <svg class="phone-cards" width={across} height={high} viewBox={`0 0 ${across} ${high}`} role="group">
      <Fan cards={cards} x={across / 2} y={MARGIN} width={width} room={room} pick={pick} />
    </svg>
  );
}
