// What was, beside what would be: one row for each thing that is compared.
import type { ComponentChildren } from "preact";
import { useI18n } from "../i18n/context";

/** The table around the rows, each of which names its thing in its first cell. */
export function WasWould({ children }: { children: ComponentChildren }) {
  const i18n = useI18n();
  return (
    <table>
      <thead>
        <tr>
          <th scope="col" />
          <th scope="col">{i18n.text("studio.was")}</th>
          <th scope="col">{i18n.text("studio.would")}</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
