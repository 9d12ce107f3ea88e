// The felt draws only what has changed, by identity: a step that comes anew keeps the parts that stayed equal.

/** The new value, with the objects of the old one wherever they say the same; the old one where all of it does. */
export function sharing<T>(was: unknown, now: T): T {
  if (Array.isArray(was) && Array.isArray(now)) {
    const parts = now.map((part, at) => sharing(was[at], part));
    const same = was.length === parts.length && parts.every((part, at) => part === was[at]);
    return (same ? was : parts) as T;
  }
  if (!isObject(was) || !isObject(now)) return now;
  const names = Object.keys(now);
  const parts = Object.fromEntries(names.map((name) => [name, sharing(was[name], now[name])]));
  const same = Object.keys(was).length === names.length && names.every((name) => parts[name] === was[name]);
  return (same ? was : parts) as T;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
