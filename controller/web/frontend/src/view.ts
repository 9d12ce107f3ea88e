// Made by `python -m controller.web.typescript`; change controller/screens/view.py instead.

export interface AlertAct {
  do: "alert";
  alert: number;
  step: "ack" | "assign" | "resolve";
  note: string;
}

export interface AlertRow {
  alert: number;
  text: Words;
  severity: string;
  round: number;
  at_utc_us: number;
  status: "open" | "acked" | "assigned";
  by: string;
}

export interface AutoplayAct {
  do: "autoplay";
  on: boolean;
}

export interface Bar {
  keys: Key[];
  chips: string[];
  info: Words | null;
  info_note: Words | null;
  settling: Settling | null;
}

export interface BoxView {
  box: number;
  stake: string | null;
  chips: [string, number][];
  seats: SeatView[];
  hands: HandView[];
  active: boolean;
  handled: boolean;
  voided: boolean;
}

export interface Chip {
  value: string;
  face: string;
  ink: string;
}

export interface ChipAct {
  do: "chip";
  box: number;
  seat: number;
  chip: string;
  off: boolean;
}

export interface ClearAct {
  do: "clear";
  box: number;
}

export interface CommandBody {
  command_id: string;
  expected_seq: number;
  actor: string;
  role: "dealer" | "pit";
  session: string | null;
  act: ObserveAct | ChipAct | ClearAct | FreezeAct | ResumeAct | AlertAct | HandledAct | AutoplayAct | OrderAct | NameAct | EditingAct;
}

export interface DealerView {
  cards: (HiddenCard | OpenCard)[];
  total: string | null;
  outcome: "blackjack" | "bust" | null;
}

export interface DeviceRow {
  name: string;
  kind: "shoe" | "camera" | "keys" | "peek" | "rack";
  state: "live" | "stale" | "lost";
  age_ms: number | null;
  orders: string[];
  last_order: LastOrder | null;
}

export interface DoubtRow {
  doubt: number;
  text: Words;
  was: OpenCard;
  seen: OpenCard;
  name: ObserveAct | ChipAct | ClearAct | FreezeAct | ResumeAct | AlertAct | HandledAct | AutoplayAct | OrderAct | NameAct | EditingAct;
  correct: ObserveAct | ChipAct | ClearAct | FreezeAct | ResumeAct | AlertAct | HandledAct | AutoplayAct | OrderAct | NameAct | EditingAct | null;
  table: OpenCard | null;
  picture: string | null;
}

export interface EditingAct {
  do: "editing";
  on: boolean;
  box: number | null;
}

export interface FeltView {
  rules: string;
  blackjack_pays: [number, number];
  hits_soft_17: boolean;
  boxes: number;
  back_bets: number;
}

export interface FreezeAct {
  do: "freeze";
  note: string;
}

export interface HandRow {
  box: number;
  hand: number;
  before: (HiddenCard | OpenCard)[];
  total_before: string;
  outcome_before: "win" | "lose" | "push" | "blackjack" | "bust" | "surrender" | "even_money" | "insured" | "insurance_lost" | "void" | null;
  after: (HiddenCard | OpenCard)[];
  total_after: string;
  outcome_after: "win" | "lose" | "push" | "blackjack" | "bust" | "surrender" | "even_money" | "insured" | "insurance_lost" | "void" | null;
}

export interface HandView {
  hand: number;
  cards: (HiddenCard | OpenCard)[];
  total: string;
  blackjack: boolean;
  doubled: boolean;
  active: boolean;
  outcome: "win" | "lose" | "push" | "blackjack" | "bust" | "surrender" | "even_money" | "insured" | "insurance_lost" | "void" | null;
}

export interface HandledAct {
  do: "handled";
  round: number;
  box: number;
}

export interface HiddenCard {
  hidden: true;
}

export interface HoldRow {
  text: Words;
  since_utc_us: number;
  by: string;
}

export interface Key {
  key: string;
  label: Words;
  enabled: boolean;
  main: boolean;
  pressed: boolean | null;
  hotkeys: string[];
  note: Words | null;
  acts: (ObserveAct | ChipAct | ClearAct | FreezeAct | ResumeAct | AlertAct | HandledAct | AutoplayAct | OrderAct | NameAct | EditingAct)[];
  opens: "next" | "pad" | "clear" | null;
}

export interface LastOrder {
  order: Words;
  by: string;
  at_utc_us: number;
  answer: Words;
  done: boolean;
}

export interface Money {
  money: string;
}

export interface MoneyRow {
  box: number;
  seat: number;
  before: string;
  after: string;
  change: string;
}

export interface NameAct {
  do: "name";
  camera: string;
  box: number;
  at: [number, number] | null;
  was: string;
  seen: string;
  card: string;
  reason: string;
}

export interface Notice {
  number: number;
  device: string;
  key: Words;
  why: Words;
}

export interface ObserveAct {
  do: "observe";
  obs: Record<string, unknown>;
}

export interface OpenCard {
  card: number;
  rank: string | null;
  suit: string | null;
  across: boolean;
}

export interface OrderAct {
  do: "order";
  device: string;
  order: "lock" | "unlock" | "clear_error";
  reason: string;
}

export interface Pad {
  title: Words;
  rank_obs: ObserveAct | ChipAct | ClearAct | FreezeAct | ResumeAct | AlertAct | HandledAct | AutoplayAct | OrderAct | NameAct | EditingAct;
  not_a_card: ObserveAct | ChipAct | ClearAct | FreezeAct | ResumeAct | AlertAct | HandledAct | AutoplayAct | OrderAct | NameAct | EditingAct | null;
  face_down: ObserveAct | ChipAct | ClearAct | FreezeAct | ResumeAct | AlertAct | HandledAct | AutoplayAct | OrderAct | NameAct | EditingAct | null;
  guesses: [string, number][];
  watched: boolean;
  picture: string | null;
}

export interface Preview {
  seq: number;
  problem: Words | null;
  disputes: boolean;
  hands: HandRow[];
  money: MoneyRow[];
  house_change: string;
}

export interface Prompt {
  line: Words;
  tone: "act" | "pay" | "take" | "push" | "stop";
  icon: "chip" | "turn" | "draw" | "stand" | "pay" | "take" | "push" | "ask" | "stop" | "eye";
  detail: Words[];
  chips: [string, number][];
  side: Side | null;
  bar: Bar;
  pad: Pad | null;
  pad_opens: boolean;
  box: number | null;
  hand: number | null;
  dealer: boolean;
}

export interface ResumeAct {
  do: "resume";
  without: string[];
}

export interface SeatView {
  seat: number;
  stake: string;
  insurance: string | null;
  short: Words | null;
}

export interface Settling {
  steps: Step[];
  done: number;
  of: number;
  paid: string;
  taken: string;
}

export interface Side {
  title: Words;
  text: Words;
}

export interface Step {
  box: number;
  state: "open" | "now" | "done" | "none";
}

export interface TableView {
  seq: number;
  at_utc_us: number;
  mode: "live" | "simulation";
  table: string;
  currency: string;
  round: number;
  felt: FeltView;
  chips: Chip[];
  boxes: BoxView[];
  dealer: DealerView;
  aside: OpenCard[];
  staked: string;
  stage: string;
  prompts: Prompt[];
  shoe_used: number | null;
  cut_card: boolean;
  devices: DeviceRow[];
  holds: HoldRow[];
  alerts: AlertRow[];
  doubts: DoubtRow[];
  waiting: number;
  autoplay: boolean | null;
  editing_by: string | null;
  notice: Notice | null;
  by_hand: Pad;
}

export interface Words {
  code: string;
  params: Record<string, number | string | Money>;
}
