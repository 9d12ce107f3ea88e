// The demo scores whoever deals: what was refused counts with its rule, and a round with its taps.
import { act, renderHook } from "@testing-library/preact";
import { expect, it } from "vitest";
import { ruleOf, score, useTraining } from "../../src/demo/training";
import type { Words } from "../../src/view";
import { tableView } from "../kit";

const words = (code: string): Words => ({ code, params: {} });
const knows = (code: string): boolean => code === "rule.NO_PAIR";

it("names the rule of a refusal, the line where there is none, and nothing for a press that came too soon", () => {
  expect(ruleOf(words("why.NO_PAIR"), knows)?.code).toBe("rule.NO_PAIR");
  expect(ruleOf(words("refused.NO_BET"), knows)?.code).toBe("rule.LINE");
  expect(ruleOf(words("why.TOO_SOON"), knows)).toBeNull();
});

it("counts taps, hands and mistakes of a round that is dealt by hand, and none while the simulation plays", async () => {
  const dealt = tableView({ round: 7 });
  const { result, rerender } = renderHook(
    ({ now, refusal, scored }) => useTraining(now, refusal, scored, knows),
    { initialProps: { now: dealt, refusal: null as Words | null, scored: true } },
  );
  const bar = document.body.appendChild(document.createElement("footer"));
  bar.className = "bar";
  await act(() => {
    for (const _ of "123") bar.dispatchEvent(new Event("pointerdown", { bubbles: true }));
    document.body.dispatchEvent(new Event("pointerdown", { bubbles: true }));
  });
  rerender({ now: dealt, refusal: words("why.NO_PAIR"), scored: true });
  rerender({ now: { ...dealt, round: 8 }, refusal: null, scored: true });
  const hands = dealt.boxes.reduce((sum, box) => sum + box.hands.length, 0);
  expect(result.current.rounds).toMatchObject([{ taps: 3, hands }]);
  expect(result.current.mistakes).toMatchObject([{ round: 7, rule: { code: "rule.NO_PAIR" } }]);
  expect(score(result.current.rounds)?.taps).toBe(3);
  rerender({ now: { ...dealt, round: 8 }, refusal: words("why.NO_PAIR"), scored: false });
  expect(result.current.mistakes).toHaveLength(1);
  await act(() => result.current.again());
  expect(result.current).toMatchObject({ rounds: [], mistakes: [] });
  bar.remove();
});
