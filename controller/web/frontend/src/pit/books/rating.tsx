// A bettor is rated under a pseudonym from this round on; who that is stands in no journal and on no screen.
import { useState } from "preact/hooks";
import { useI18n } from "../../i18n/context";
import type { Observation } from "../../server/commands";
import { ActDialog, type FactProps } from "../act-dialog";
import { Choices } from "../choices";
import { Bettors } from "../entered/bettors";
import { TextField } from "./text-field";

/** What `stand17 guests name` gives out: no name of a person looks so. */
const PSEUDONYM = /^[A-Z2-7]{8}$/;
/** The holder of a box, and who may bet behind. */
const SEATS = [0, 1, 2, 3];

/** Asks for the place and the pseudonym; an empty one ends the rating. */
export function RateBettor({ actor: by, view, off, onApply, onCancel }: FactProps) {
  const i18n = useI18n();
  const [box, setBox] = useState(view.boxes.find((one) => one.stake !== null)?.box ?? 1);
  const [seat, setSeat] = useState(0);
  const [typed, setTyped] = useState("");
  const guest = typed.trim().toUpperCase();
  const fact: Observation = { obs: "rating", box, seat, by, ...(guest && { guest }) };
  return (
    <ActDialog
      title={i18n.text("ui.rating")}
      size="medium"
      ready={!off && (guest === "" || PSEUDONYM.test(guest))}
      onApply={() => onApply(fact, view.seq)}
      onCancel={onCancel}
    >
      <Choices
        legend={i18n.text("ui.ledger_box")}
        choices={view.boxes.map((one) => ({
          value: one.box,
          label: i18n.text("ui.box", { box: one.box }),
          name: `box-${one.box}`,
        }))}
        chosen={box}
        onChoose={setBox}
      />
      <Bettors seats={[]} free={SEATS} chosen={seat} onChoose={setSeat} />
      <TextField
        label={i18n.text("ui.pseudonym")}
        name="guest"
        maxLength={8}
        value={typed}
        onValue={setTyped}
      />
      <p class="quiet">{i18n.text("ui.rating_ends")}</p>
    </ActDialog>
  );
}
