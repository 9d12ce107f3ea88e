// The addresses of the pit's page: everything on it can be sent to a colleague who may see it.
import { pitPage } from "../server/base";

/** The page of one round, at a step of it or at a box. */
export function roundAddress(round: number, place: { step?: number; box?: number } = {}): string {
  const query = new URLSearchParams(
    Object.entries(place).map(([name, value]) => [name, String(value)] as [string, string]),
  ).toString();
  return `${pitPage()}/rounds/${round}${query && `?${query}`}`;
}
