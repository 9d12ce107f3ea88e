// The number of an earlier round is typed while the table goes on.
import { fireEvent, screen } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { RoundField } from "../../src/pit/round-field";
import { show } from "../kit";

function open(round = 14) {
  const onRound = vi.fn();
  const field = (last: number, at = round) => (
    <RoundField first={1} last={last} round={at} onRound={onRound} />
  );
  const { again } = show(field(14));
  const input = screen.getByRole<HTMLInputElement>("spinbutton");
  return { input, onRound, again: (last: number, at?: number): void => again(field(last, at)) };
}

describe("the number of a round", () => {
  it("stays as typed when a new view comes before it is left", () => {
    const { input, onRound, again } = open();
    fireEvent.input(input, { target: { value: "1" } });
    again(15);
    expect(input.value).toBe("1");
    fireEvent.change(input);
    expect(onRound).toHaveBeenCalledExactlyOnceWith(1);
  });

  it("is put back where there is no such round", () => {
    const { input, onRound } = open();
    fireEvent.input(input, { target: { value: "99" } });
    fireEvent.change(input);
    expect(onRound).not.toHaveBeenCalled();
    expect(input.value).toBe("14");
  });

  it("follows a round that was chosen beside it", () => {
    const { input, again } = open();
    again(14, 13);
    expect(input.value).toBe("13");
  });
});
