// What is printed on a key of the keyboard, and which keys are the chips.
const NAMES: Record<string, string> = { Enter: "↵", Backspace: "⌫", Escape: "Esc" };

/** "↵" for Enter, "D" for d. */
export const keyName = (key: string): string => NAMES[key] ?? key.toUpperCase();

/** Letters of the chips, smallest first: side by side under one hand. */
export const CHIP_KEYS: readonly string[] = ["f", "g", "h", "j", "k"];
