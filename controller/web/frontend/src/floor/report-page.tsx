// The report of the shift so far, as it is printed: made anew when somebody asks, and taken along as a file.

import { useEffect, useState } from "preact/hooks";
import { useI18n } from "../i18n/i18n";
import { fetchJson } from "../server/http";
import { SmallKey } from "../shared/keys";
import type { PaperSection, ReportPaper, ReportProgress } from "../view";
import { Exports, Facts } from "./list";

/** The server answers after so many seconds how far it is. */
const WAIT_S = 0.3;
const AGAIN_MS = 2000;

/** In the order of the paper; the files are of the moment in which they are asked for. */
export function ReportPage() {
  const i18n = useI18n();
  const [asked, setAsked] = useState(0);
  const { paper, progress } = useReport(i18n.language, asked);
  const forms = (["pdf", "csv", "json"] as const).filter((form) => form !== "pdf" || paper?.prints);
  const reads = progress && (
    <progress aria-label={i18n.text("ui.loading")} max={progress.entries} value={progress.read} />
  );
  if (!paper)
    return (
      <p class="quiet loading" role="status">
        {i18n.text("ui.loading")} {reads}
      </p>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard.
    <main class="page report scroll" tabIndex={0} aria-label={i18n.text("ui.page_report")}>
      <header class="page-head">
        <h1>{paper.title}</h1>
        <span class="spring" />
        {reads}
        <SmallKey data-key="AGAIN" onClick={() => setAsked(asked + 1)}>
          {i18n.text("ui.report_again")}
        </SmallKey>
        <Exports forms={forms} path={(form) => `/api/report/${form}?language=${i18n.language}`} />
      </header>
      <p class="quiet">
        {paper.when} · {paper.stand} {paper.shadow}
      </p>
      <Facts look="report-figures" rows={paper.figures} />
      <div class="report-beside grid">
        <Part section={paper.money} />
        <Part section={paper.play} />
      </div>
      {paper.lists.map((section) => (
        <Part key={section.title} section={section} />
      ))}
      <Facts look="report-proof" rows={paper.proof} />
    </main>
  );
}

/** Asks until the report is there; the one before in this language stays until then. */
function useReport(language: string, asked: number) {
  const [made, setMade] = useState<{ language: string; paper: ReportPaper } | null>(null);
  const [progress, setProgress] = useState<ReportProgress | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key asks again
  useEffect(() => {
    let wanted = true;
    const once = async (): Promise<void> => {
      const path = `/api/report/page?language=${language}&wait=${WAIT_S}`;
      const found = await fetchJson<ReportPaper | ReportProgress>(path);
      if (!wanted) return;
      if (found && !("entries" in found)) setMade({ language, paper: found });
      setProgress(found && "entries" in found ? found : null);
      if (!found || "entries" in found) setTimeout(once, found ? 0 : AGAIN_MS);
    };
    void once();
    return () => {
      wanted = false;
    };
  }, [language, asked]);
  return { paper: made?.language === language ? made.paper : null, progress };
}

/** The widths are those of the paper: shares of the whole. */
function Part({ section }: { section: PaperSection }) {
  const whole = section.widths.reduce((all, width) => all + width, 0);
  return (
    <section>
      <h2>{section.title}</h2>
      <table class={section.bar ? "ledger-table bar whole-width" : "ledger-table whole-width"}>
        <colgroup>
          {section.widths.map((width, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
            <col key={column} style={{ width: `${(100 * width) / whole}%` }} />
          ))}
        </colgroup>
        {section.heads.length > 0 && (
          <thead>
            <tr>
              {section.heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {section.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the table is made anew as a whole
            <tr key={index} class={section.strong.includes(index) ? "strong" : ""}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
