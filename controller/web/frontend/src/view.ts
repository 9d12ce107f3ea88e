// Made by `python -m controller.web.typescript`; change the models in controller instead.

export interface AlertAct {
  do: "alert";
  alert: number;
  step: "ack" | "assign" | "resolve";
  note?: string;
}

export interface AlertRow {
  alert: number;
  alerts: number[];
  text: Words;
  severity: string;
  round: number;
  at_utc_us: number;
  since_utc_us: number;
  status: "open" | "acked" | "assigned";
  by: string;
  note: string;
  box: number;
  money: string | null;
  holds: boolean;
  held: HeldEvidence | null;
}

export interface AmendCloseObservation {
  obs: "amend";
  what: "close";
  by?: string | null;
  reason: string;
  second?: string | null;
}

export interface AmendDecisionObservation {
  obs: "amend";
  what: "decision";
  box: number;
  hand: number;
  nth: number;
  action: "hit" | "stand" | "double" | "split" | "surrender" | null;
  seats?: number[] | null;
  stakes?: Record<string, number> | null;
  by?: string | null;
  reason: string;
  round?: number | null;
  second?: string | null;
}

export interface AmendEvenMoneyObservation {
  obs: "amend";
  what: "even_money";
  box: number;
  seat: number;
  taken: boolean;
  by?: string | null;
  reason: string;
  round?: number | null;
  second?: string | null;
}

export interface AmendInsuranceObservation {
  obs: "amend";
  what: "insurance";
  box: number;
  seat: number;
  stake: number;
  by?: string | null;
  reason: string;
  round?: number | null;
  second?: string | null;
}

export interface AmendPeekObservation {
  obs: "amend";
  what: "peek";
  blackjack: boolean;
  by?: string | null;
  reason: string;
  round?: number | null;
  second?: string | null;
}

export interface AmendRevealObservation {
  obs: "amend";
  what: "reveal";
  by?: string | null;
  reason: string;
  round?: number | null;
  second?: string | null;
}

export interface AmendStakeObservation {
  obs: "amend";
  what: "stake";
  box: number;
  seat: number;
  stake: number;
  by?: string | null;
  reason: string;
  round?: number | null;
  second?: string | null;
}

export type AnyAmendObservation = AmendStakeObservation | AmendDecisionObservation | AmendInsuranceObservation | AmendEvenMoneyObservation | AmendPeekObservation | AmendRevealObservation | AmendCloseObservation;

export type AnyObservation = ShoeObservation | BetObservation | CloseObservation | CardObservation | DecisionObservation | InsuranceObservation | EvenMoneyObservation | InsuranceClosedObservation | PeekObservation | RevealObservation | CutCardObservation | CorrectObservation | StrikeObservation | MoveObservation | VoidObservation | AnyAmendObservation | SwapObservation | PaidObservation | ChipReadingObservation | ExposedObservation | LeaveObservation | ShuffleObservation | ShoeEndObservation | RestCountObservation | RestCardObservation | ShoeVoidObservation | LimitsObservation | TableObservation | DealerObservation | CountObservation | FillObservation | CreditObservation | SlipVoidObservation | DropObservation | ResumeObservation | NoteObservation | FreezeObservation | MessageObservation | DeviceObservation | ChipsObservation | BankObservation | EndObservation;

export interface AuditRow {
  seq: number;
  kind: string;
  at_utc_us: number;
  round: number | null;
  by: string | Word;
  text: Words | null;
  hash: string;
}

export interface AuditTrail {
  rows: AuditRow[];
  older: number | null;
  kinds: string[];
  kept_back: boolean;
  chain: ChainState;
  signature: SignatureState | null;
}

export interface AutoplayAct {
  do: "autoplay";
  on: boolean;
}

export interface BankObservation {
  obs: "bank";
  box: number;
}

export interface Bar {
  keys: Key[];
  chips: string[];
  info: Words | null;
  info_note: Words | null;
  settling: Settling | null;
}

export interface Beat {
  type: "beat";
  seq: number;
}

export interface BetObservation {
  obs: "bet";
  box: number;
  seat: number;
  stake: number;
}

export interface Books {
  float_now: Money | null;
  opened: Money | null;
  fill: Money | null;
  fill_utc_us: number;
  drop: Money | null;
}

export interface BoxFacts {
  box: number;
  seats: SeatFacts[];
  hands: HandFacts[];
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
  moves: MoveView[];
  paid: "measured" | "entered" | "confirmed" | null;
  repeat: ScreenAct[];
  press: Key | null;
}

export interface CameraView {
  camera: string;
  picture: string;
  width: number;
  height: number;
  cards: OutlineView[];
  ranks: RankView[];
  edge_px: number;
  light: number;
  burnt_percent: number;
}

export interface CardObservation {
  obs: "card";
  rank?: "A" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "10" | "J" | "Q" | "K" | null;
  suit?: "c" | "d" | "h" | "s" | null;
  by?: string | null;
  p?: number | null;
  to?: "box" | "dealer" | "burn" | null;
  box?: number | null;
  hand?: number | null;
  face?: "up" | "down" | null;
  pose?: "along" | "across" | null;
  id?: string | null;
  out?: "struck" | "burned" | null;
}

export interface CardWithoutRank {
  obs: "card";
  by: string;
}

export interface ChainState {
  checked_seq: number;
  broken_seq: number | null;
  broken_code: string;
}

export interface ChangeRow {
  text: Words;
  before: Money;
  after: Money;
  change: Money;
}

export interface ChangesMessage {
  type: "changes";
  seq: number;
  fields: Record<string, unknown>;
  boxes: Record<string, Record<string, unknown>>;
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
  off?: boolean;
}

export interface ChipReadingObservation {
  obs: "chip_reading";
  kind: "stake" | "payout";
  box: number;
  seat: number;
  amount: number | null;
  p?: number | null;
}

export interface Chips {
  chips: [string, number][];
}

export interface ChipsObservation {
  obs: "chips";
  box: number;
  chips: number;
}

export interface ClearAct {
  do: "clear";
  box: number;
}

export interface CloseObservation {
  obs: "close";
}

export interface ClosingCount {
  open: boolean;
  missing: string;
  extra: string;
  unread: number;
  counting: boolean;
  out: Key[];
}

export interface CommandAccepted {
  seq: number;
}

export interface CommandBody {
  command_id: string;
  expected_seq: number;
  role: "dealer" | "pit";
  actor?: string | null;
  grant?: string | null;
  second?: string | null;
  session?: null;
  act: ScreenAct;
}

export interface CorrectObservation {
  obs: "correct";
  card?: number | null;
  id?: string | null;
  rank: "A" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "10" | "J" | "Q" | "K" | null;
  suit?: "c" | "d" | "h" | "s" | null;
  by?: string | null;
  reason: string;
  round?: number | null;
  second?: string | null;
}

export interface CorrectWithoutRank {
  obs: "correct";
  card: number;
  by: string;
  reason: string;
}

export interface CorrectWithoutTruth {
  obs: "correct";
  card: number;
}

export interface CorrectionView {
  seq: number;
  at_utc_us: number;
  by: string;
  second: string;
  reason: string | Word;
  text: Words;
  changes: ChangeRow[];
}

export interface CountObservation {
  obs: "count";
  at: "open" | "close" | "check";
  amount?: number | null;
  chips?: Record<string, number> | null;
  by?: string | null;
  second?: string | null;
}

export interface CreditObservation {
  obs: "credit";
  slip: string;
  amount?: number | null;
  chips?: Record<string, number> | null;
  by?: string | null;
  second?: string | null;
}

export interface CutCardObservation {
  obs: "cut_card";
}

export interface DealerObservation {
  obs: "dealer";
  id: string;
  at: "in" | "out";
}

export interface DealerView {
  cards: (HiddenCard | OpenCard)[];
  total: string | null;
  outcome: "blackjack" | "bust" | null;
}

export interface DecisionObservation {
  obs: "decision";
  box: number;
  hand: number;
  action: "hit" | "stand" | "double" | "split" | "surrender";
  seats?: number[] | null;
  stakes?: Record<string, number> | null;
}

export interface DecisionRow {
  nth: number;
  action: "hit" | "stand" | "double" | "split" | "surrender" | null;
  known: "told" | "card" | "inferred";
}

export interface Deed {
  seq: number;
  at_utc_us: number;
  mark: "card" | "decision" | "paid" | "stop" | "ruling" | "other";
  box: number | null;
  text: Words;
  differs: boolean;
}

export interface DeviceObservation {
  obs: "device";
  name: string;
  state: "live" | "stale" | "lost";
}

export interface DeviceRow {
  name: string;
  kind: "shoe" | "camera" | "keys" | "peek" | "rack" | "chips";
  state: "live" | "stale" | "lost";
  age_ms: number | null;
  orders: string[];
  last_order: LastOrder | null;
  deck: string;
}

export interface DoubtRow {
  doubt: number;
  text: Words;
  was: OpenCard;
  seen: OpenCard;
  name: NameAct;
  correct: CorrectWithoutTruth | null;
  table: OpenCard | null;
  picture: string | null;
}

export interface DrawAct {
  do: "draw";
}

export interface DropObservation {
  obs: "drop";
  amount: number;
  seat?: number | null;
  kind?: "cash" | "marker" | null;
}

export interface EditingAct {
  do: "editing";
  on: boolean;
  box?: number | null;
}

export interface EndObservation {
  obs: "end";
}

export interface EvenMoneyObservation {
  obs: "even_money";
  box: number;
  seat: number;
}

export interface ExposedObservation {
  obs: "exposed";
  who: "dealer" | number;
}

export type FactWithoutRank = RevealWithoutRank | CorrectWithoutRank | CardWithoutRank;

export interface FaultBody {
  fault: "drew_on_17" | "stood_on_16" | "stuck_cards" | "wrong_box" | "missed_box" | "unread_card" | "one_too_many" | "wrong_payout" | "cable_pulled" | "smeared_lens" | "mistapped_stand";
}

export interface FaultRow {
  fault: "drew_on_17" | "stood_on_16" | "stuck_cards" | "wrong_box" | "missed_box" | "unread_card" | "one_too_many" | "wrong_payout" | "cable_pulled" | "smeared_lens" | "mistapped_stand";
  stage: "ready" | "called" | "stands" | "mended";
  round: number;
  as_planned: boolean | null;
}

export interface FeltView {
  rules: string;
  blackjack_pays: [number, number];
  hits_soft_17: boolean;
  boxes: number;
  decks: number;
  back_bets: number;
}

export interface FillObservation {
  obs: "fill";
  slip: string;
  amount?: number | null;
  chips?: Record<string, number> | null;
  by?: string | null;
  second?: string | null;
}

export interface FreezeAct {
  do: "freeze";
  note?: string;
}

export interface FreezeObservation {
  obs: "freeze";
  by?: string | null;
  reason: string;
}

export interface GivenAct {
  do: "given";
  box: number;
  seat: number;
  amount: string;
}

export interface HandFacts {
  hand: number;
  decisions: DecisionRow[];
}

export interface HandPlace {
  box: number;
  hand: number;
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

export interface HeldEvidence {
  at_utc_us: number;
  pictures: HeldPicture[];
  shoe: HeldShoeLine | null;
}

export interface HeldPicture {
  camera: string;
  picture: string;
}

export interface HeldShoeLine {
  hex: string;
  text: string;
  told: string[];
}

export interface Hello {
  type: "hello";
  heartbeat_ms: number;
}

export interface HiddenCard {
  hidden: true;
}

export interface HoldRow {
  title: Words;
  text: Words;
  since_utc_us: number;
  by: string;
  code: string;
  release: "dealer" | "pit" | "two";
  ways: ("strike" | "burn" | "keep" | "move" | "swap" | "correct" | "amend" | "draw" | "shoe" | "paid" | "void_box" | "void_round" | "shoe_void" | "shuffle" | "shoe_end")[];
  rule: Words | null;
  rule_text: Words | null;
  round: number;
  card: number;
  box: number;
  seat: number | null;
  read: Words | null;
}

export interface HoldTime {
  code: string;
  text: Words;
  times: number;
  seconds: number;
  now: boolean;
}

export interface HourPace {
  at_s: number;
  rounds: number;
  hands: number;
}

export interface InsuranceClosedObservation {
  obs: "insurance_closed";
}

export interface InsuranceObservation {
  obs: "insurance";
  box: number;
  seat: number;
  stake: number;
}

export interface InsureAct {
  do: "insure";
  box: number;
  seat: number;
  amount: string;
}

export interface Key {
  key: string;
  label: Words;
  enabled: boolean;
  main: boolean;
  pressed: boolean | null;
  hotkeys: string[];
  note: Words | null;
  acts: ScreenAct[];
  opens: "next" | "pad" | "clear" | "repeat" | "amount" | null;
}

export interface LastOrder {
  order: Words;
  by: string;
  at_utc_us: number;
  answer: Words;
  done: boolean;
}

export interface LeaveObservation {
  obs: "leave";
  box: number;
  seat: number;
}

export interface Ledger {
  rows: LedgerRow[];
  more: number;
  payouts: number;
  differences: number;
  sum: Money;
}

export interface LedgerRow {
  round: number;
  box: number;
  seat: number;
  hands: string;
  results: ("win" | "lose" | "push" | "blackjack" | "bust" | "surrender" | "even_money" | "insured" | "insurance_lost" | "void")[];
  stake: Money;
  due: Money;
  paid: Money | null;
  difference: Money | null;
  differs: boolean;
  was: Money | null;
  how: "measured" | "entered" | "confirmed" | "computed" | null;
  by: string;
  at_utc_us: number;
}

export interface LimitsObservation {
  obs: "limits";
  stake_min: number;
  stake_max: number;
  stake_step: number;
  by?: string | null;
}

export interface LimitsView {
  stake_min: string;
  stake_max: string;
  stake_step: string;
  next_round: boolean;
}

export interface MessageObservation {
  obs: "message";
  text: string;
  by?: string | null;
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

export interface MoveObservation {
  obs: "move";
  card?: number | null;
  id?: string | null;
  to: "box" | "dealer" | "burn";
  box?: number | null;
  hand?: number | null;
  by?: string | null;
  reason: string;
  round?: number | null;
  second?: string | null;
}

export interface MoveView {
  verb: "pay" | "take" | "push";
  seat: number;
  amount: string;
}

export interface NameAct {
  do: "name";
  camera: string;
  box: number;
  at?: [number, number] | null;
  was: string;
  seen: string;
  card?: string;
  reason?: string;
}

export interface NoteObservation {
  obs: "note";
  text: string;
  round?: number | null;
  by?: string | null;
}

export interface Notice {
  number: number;
  device: string;
  key: Words;
  why: Words;
}

export interface ObserveAct {
  do: "observe";
  obs: AnyObservation;
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
  order: "lock" | "unlock" | "clear_error" | "calibrate";
  reason: string;
}

export interface OutlineView {
  box: number | null;
  corners: number[];
  look: "certain" | "doubt" | "unclear" | "down";
  card: string;
  seen: string;
  percent: number;
  reason: string;
}

export interface Pad {
  title: Words;
  rank_obs: FactWithoutRank;
  not_a_card: ScreenAct | null;
  face_down: ScreenAct | null;
  guesses: [string, number][];
  watched: boolean;
  picture: string | null;
}

export interface PaidObservation {
  obs: "paid";
  box: number;
  seat: number;
  amount: number;
  round?: number | null;
  how?: "measured" | "entered" | "confirmed" | null;
}

export interface PeekObservation {
  obs: "peek";
  blackjack: boolean;
}

export interface PersonView {
  id: string;
  name: string;
  role: "dealer" | "supervisor" | "pit_manager" | "surveillance" | "tester" | "administrator";
}

export interface Phase {
  name: "bets" | "deal" | "turns" | "dealer" | "pay" | "waits";
  seconds: number;
}

export interface PitBody {
  grant?: string | null;
}

export interface PlacedCard {
  box: number;
  hand: number;
  card: OpenCard;
}

export interface Preview {
  seq: number;
  problem: Words | null;
  disputes: boolean;
  hands: HandRow[];
  stakes: StakeRow[];
  money: MoneyRow[];
  house_change: string;
}

export interface PreviewBody {
  obs: AnyObservation;
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
  amount_for: "stake" | "insure" | "given" | null;
  box: number | null;
  hand: number | null;
  dealer: boolean;
}

export interface RankView {
  box: number;
  px: number;
  told_percent: number;
}

export interface ReadCount {
  from_percent: number;
  count: number;
}

export interface RestCardObservation {
  obs: "rest_card";
  rank: "A" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "10" | "J" | "Q" | "K" | null;
  suit?: "c" | "d" | "h" | "s" | null;
  out?: boolean | null;
}

export interface RestCountObservation {
  obs: "rest_count";
  state: "begin" | "cancel";
}

export interface ResumeAct {
  do: "resume";
  without?: string[];
}

export interface ResumeObservation {
  obs: "resume";
  codes?: string[] | null;
  by?: string | null;
  reason: string;
  second?: string | null;
}

export interface RevealObservation {
  obs: "reveal";
  rank?: "A" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "10" | "J" | "Q" | "K" | null;
  suit?: "c" | "d" | "h" | "s" | null;
}

export interface RevealWithoutRank {
  obs: "reveal";
}

export interface RoundFacts {
  round: number;
  closed: boolean;
  boxes: BoxFacts[];
  cards: PlacedCard[];
  insurance: boolean;
  peek: boolean | null;
  turned: boolean;
}

export interface RoundList {
  open: RoundRow[];
  rows: RoundRow[];
  page: number;
  found: number;
  rounds: number;
  since_utc_us: number;
  house: Money;
  counts: Record<string, number>;
}

export interface RoundPicture {
  camera: string;
  at_utc_us: number;
  picture: string;
}

export interface RoundRow {
  round: number;
  code: string;
  at_utc_us: number;
  dealer: string;
  boxes: ("empty" | "dealt" | "differs" | "corrected")[];
  dealer_has: string;
  stakes: Money;
  house: Money;
  difference: Money;
  open: boolean;
  corrected: boolean;
  happened: Words[];
}

export interface RoundSheet {
  row: RoundRow;
  shoe: number;
  until_utc_us: number;
  previous: number | null;
  next: number | null;
  phases: Phase[];
  money: LedgerRow[];
  house_due: Money;
  house_paid: Money;
  corrections: CorrectionView[];
  deeds: Deed[];
}

export interface RulingFacts {
  seq: number;
  first_round: number;
  rounds: RoundFacts[];
}

export type ScreenAct = ObserveAct | FreezeAct | ResumeAct | AlertAct | HandledAct | AutoplayAct | OrderAct | ChipAct | StakeAct | InsureAct | GivenAct | ClearAct | NameAct | EditingAct | DrawAct;

export interface SeatFacts {
  seat: number;
  stake: string;
  insurance: string;
  even_money: boolean;
  due: string | null;
  paid: string | null;
  how: "measured" | "entered" | "confirmed" | null;
}

export interface SeatView {
  seat: number;
  stake: string;
  chips: [string, number][];
  insurance: string | null;
  short: Words | null;
}

export interface SessionView {
  screen: PersonView | null;
  pit: PersonView | null;
  guest: PersonView | null;
  left_s: number;
  table: string;
  house: string;
  card_prefix: string;
  demo_pin: string;
}

export interface Settling {
  steps: SettlingStep[];
  done: number;
  of: number;
  paid: string;
  taken: string;
}

export interface SettlingStep {
  box: number;
  state: "open" | "now" | "done" | "none";
}

export interface ShiftFigures {
  rounds: number;
  edge_percent: number | null;
  win: WinCurve;
  pace: HourPace[];
  reads: ReadCount[];
  reads_unsaid: number;
  holds: HoldTime[];
  phases: Phase[];
  books: Books;
}

export interface ShoeEndObservation {
  obs: "shoe_end";
  cards?: string[] | null;
}

export interface ShoeObservation {
  obs: "shoe";
  decks: number;
  cards?: number | null;
  set?: string | null;
}

export interface ShoeView {
  state: "not_told" | "in_use" | "run_out" | "dealt_out" | "void";
  decks: number;
  burn_due: number;
  burn_later: number;
  shuffle_due: boolean;
  keys: Key[];
  rest: Key;
  limits: LimitsView;
}

export interface ShoeVoidObservation {
  obs: "shoe_void";
  by?: string | null;
  reason: string;
  second?: string | null;
}

export interface ShuffleObservation {
  obs: "shuffle";
  cards: "discards" | "all";
}

export interface Side {
  title: Words;
  text: Words;
}

export interface SignInAnswer {
  person: PersonView;
  grant: string;
}

export interface SignInBody {
  actor?: string;
  pin?: string;
  card?: string;
  at?: "screen" | "pit" | "act" | "second";
}

export interface SignatureState {
  number: number;
  seq: number;
  at_utc_us: number;
  key: string;
}

export interface SlipVoidObservation {
  obs: "slip_void";
  kind: "fill" | "credit";
  slip: string;
  by?: string | null;
  reason: string;
  second?: string | null;
}

export type SocketMessage = Hello | ViewMessage | ChangesMessage | Beat;

export interface SpeedBody {
  speed: number;
}

export interface StakeAct {
  do: "stake";
  box: number;
  seat: number;
  amount: string;
}

export interface StakeRow {
  box: number;
  seat: number;
  before: string;
  after: string;
  change: string;
}

export interface StrikeObservation {
  obs: "strike";
  card?: number | null;
  id?: string | null;
  burn?: boolean | null;
  as?: "extra" | "double_read" | "boxed" | "defective" | "foreign" | null;
  by?: string | null;
  reason: string;
  round?: number | null;
  second?: string | null;
}

export interface SwapObservation {
  obs: "swap";
  from: HandPlace;
  with: HandPlace;
  by?: string | null;
  reason: string;
  round?: number | null;
  second?: string | null;
}

export interface TableObservation {
  obs: "table";
  state: "open" | "closed";
  by?: string | null;
}

export interface TableView {
  seq: number;
  at_utc_us: number;
  mode: "live" | "simulation";
  shadow: boolean;
  table: string;
  currency: string;
  round: number;
  felt: FeltView;
  chips: Chip[];
  sound_percent: number;
  boxes: BoxView[];
  dealer: DealerView;
  aside: OpenCard[];
  staked: string;
  stage: string;
  prompts: Prompt[];
  shoe_used: number | null;
  cut_card: boolean;
  shoe: ShoeView;
  devices: DeviceRow[];
  holds: HoldRow[];
  holds_more: number;
  alerts: AlertRow[];
  alerts_more: number;
  doubts: DoubtRow[];
  unconfirmed: UnconfirmedRow[];
  unconfirmed_count: number;
  waiting: number;
  autoplay: boolean | null;
  draw: DrawAct | null;
  faults: FaultRow[];
  speed: number | null;
  editing_by: string | null;
  notice: Notice | null;
  by_hand: Pad;
}

export interface Tile {
  table: string;
  recorded: boolean;
  line: Words;
  tone: "act" | "pay" | "take" | "push" | "stop";
  seats: ("empty" | "stake" | "acts" | "stop")[];
  hands: number | null;
  win: Money | null;
  dealer: string;
  alerts: number;
  round: number;
}

export interface UnconfirmedRow {
  round: number;
  box: number;
  seat: number;
  amount: string;
}

export interface ViewMessage {
  type: "snapshot" | "state";
  seq: number;
  view: TableView;
}

export interface VoidObservation {
  obs: "void";
  box?: number | null;
  by?: string | null;
  reason: string;
  round?: number | null;
  second?: string | null;
}

export interface WinCurve {
  at_s: number[];
  won: number[];
  expected: number[];
  band: number[];
  over_stakes: number[];
  over_drop: number | null;
}

export interface Word {
  word: string;
}

export interface Words {
  code: string;
  params: Record<string, number | string | Money | Chips | Word>;
}
