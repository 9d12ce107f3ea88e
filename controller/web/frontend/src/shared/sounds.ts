// The sounds of a screen: made by the browser, each switched on or off on this device. None tells who wins.

/** What can be heard: the first three at the dealer's screen, the last two at the pit's. */
export const SOUNDS = ["confirm", "stop", "card", "critical", "warning"] as const;
export type Sound = (typeof SOUNDS)[number];

/** The dealer's are heard by the players, so they are chosen; a pit that hears nothing overlooks an alert. */
const ON_AT_FIRST: readonly Sound[] = ["critical", "warning"];
const KEPT = "stand17.sounds";
const VIBRATION_MS = 40;
const EDGE_S = 0.004;

/** One tone: when it begins after the sound has, its pitch and its length. */
export interface Note {
  at_s: number;
  hz: number;
  length_s: number;
}

const note = (atMs: number, hz: number, lengthMs: number): Note => ({
  at_s: atMs / 1000,
  hz,
  length_s: lengthMs / 1000,
});

/** Two rising notes, three pulses, a tick; for the pit two notes or one. */
export const NOTES: Record<Sound, readonly Note[]> = {
  confirm: [note(0, 660, 80), note(80, 880, 80)],
  stop: [note(0, 440, 120), note(240, 440, 120), note(480, 440, 120)],
  card: [note(0, 1200, 12)],
  critical: [note(0, 880, 160), note(200, 660, 160)],
  warning: [note(0, 660, 160)],
};

/** The sounds that are switched on at this device. */
export function keptSounds(): ReadonlySet<Sound> {
  const kept = localStorage.getItem(KEPT);
  const names = kept === null ? ON_AT_FIRST : kept.split(" ");
  return new Set(SOUNDS.filter((sound) => names.includes(sound)));
}

/** Remembers which are on, for the next start too. */
export function keepSounds(on: ReadonlySet<Sound>): void {
  localStorage.setItem(KEPT, [...on].join(" "));
}

let speaker: AudioContext | null = null;

/** Makes the speaker ready; browsers allow it only once somebody has touched the page. */
export function wakeSpeaker(): void {
  // Without one the screen is silent; each sound has its sign on the page.
  if (!("AudioContext" in window)) return;
  speaker ??= new AudioContext();
  if (speaker.state === "suspended") void speaker.resume();
}

/** Plays a sound as loud as the house has it; nothing is heard before the page was touched. */
export function play(sound: Sound, percent: number): void {
  navigator.vibrate?.(VIBRATION_MS);
  if (speaker?.state !== "running" || percent === 0) return;
  const begin = speaker.currentTime;
  for (const one of NOTES[sound]) tone(speaker, one, begin, percent / 100);
}

function tone(
  context: AudioContext,
  { at_s: at, hz, length_s: length }: Note,
  begin: number,
  volume: number,
) {
  const source = new OscillatorNode(context, { frequency: hz });
  const gain = new GainNode(context, { gain: 0 });
  const start = begin + at;
  // Short slopes: a tone that begins at once clicks.
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(volume, start + EDGE_S);
  gain.gain.setValueAtTime(volume, start + length - EDGE_S);
  gain.gain.linearRampToValueAtTime(0, start + length);
  source.connect(gain).connect(context.destination);
  source.start(start);
  source.stop(start + length);
}
