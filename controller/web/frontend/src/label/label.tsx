// The page of labels: the pictures, those worth a look first, the one that is labelled, and its cards.
import { useCallback, useEffect, useLayoutEffect, useReducer, useState } from "preact/hooks";
import { I18nContext } from "../i18n/context";
import type { I18n, Language } from "../i18n/i18n";
import { useLanguage } from "../i18n/language";
import { LanguageKeys } from "../shared/language-keys";
import type { LabelFolderView, LabelPictureView, PictureRowView, Words } from "../view";
import { labels } from "./bodies";
import { CardForm } from "./card-form";
import { bodyOf, type Change, changed, EMPTY, RANKS, SUITS } from "./draft";
import { Picture } from "./picture";

const AGAIN_MS = 1000;
const ZOOM_MAX = 8;

/** The whole page. */
export function Label() {
  const { i18n, choose } = useLanguage();
  if (!i18n) return null;
  return (
    <I18nContext.Provider value={i18n}>
      <Bench i18n={i18n} onLanguage={choose} />
    </I18nContext.Provider>
  );
}

function Bench({ i18n, onLanguage }: { i18n: I18n; onLanguage: (language: Language) => void }) {
  const { folder, refusal, renew } = useFolder();
  const [number, setNumber] = useState<number | null>(null);
  const { picture, setPicture } = usePicture(number);
  const [draft, change] = useReducer(changed, EMPTY);
  const [zoom, setZoom] = useState(1);
  const [said, setSaid] = useState<Words | null>(null);
  const rows = folder?.pictures ?? [];
  const first = rows[0]?.number ?? null;
  useEffect(() => setNumber((now) => now ?? first), [first]);
  useEffect(() => change({ do: "open", picture }), [picture]);
  const go = (to: number | undefined): void => {
    if (to === undefined) return;
    setSaid(draft.isChanged ? { code: "label.unsaved", params: {} } : null);
    if (!draft.isChanged) setNumber(to);
  };
  const save = async (): Promise<void> => {
    if (!picture) return;
    if (draft.cards.some((card) => card.rank === "")) {
      setSaid({ code: "label.rank_missing", params: {} });
      return;
    }
    const { answer, refusal: why } = await labels<LabelPictureView>(
      `/${picture.number}`,
      bodyOf(picture.stamp, draft),
    );
    setSaid(answer ? { code: "label.saved", params: { count: answer.cards.length } } : why);
    if (!answer) return;
    setPicture(answer);
    renew();
  };
  const enlarge = (): void => setZoom(zoom < ZOOM_MAX ? zoom * 2 : 1);
  useKeys({ rows, number, go, save, change, enlarge });
  return (
    <div class="studio label">
      <header>
        <h1>{i18n.text("label.title")}</h1>
        {folder && folder.left > 0 && <span>{i18n.text("label.left", { count: folder.left })}</span>}
        <span class="spring" />
        <button type="button" class="top-key" data-zoom={zoom} onClick={enlarge}>
          {i18n.text("studio.zoom")} {zoom}×
        </button>
        <LanguageKeys onLanguage={onLanguage} />
      </header>
      <p class="label-keys">{i18n.text("label.keys")}</p>
      {refusal && <p role="alert">{i18n.say(refusal)}</p>}
      <main data-picture={picture?.number} data-changed={draft.isChanged}>
        <Pictures rows={rows} number={number} i18n={i18n} onPicture={go} />
        <div class="label-work">
          {picture && picture.width > 0 && (
            <Picture picture={picture} draft={draft} zoom={zoom} onChange={change} />
          )}
          {picture?.why && <p role="alert">{i18n.say(picture.why)}</p>}
          {picture && picture.width === 0 && !picture.why && <p>{i18n.text("label.reading")}</p>}
        </div>
        <aside>
          {picture && <CardForm picture={picture} draft={draft} onChange={change} />}
          <button type="button" class="top-key" data-save onClick={() => void save()}>
            {i18n.text("label.save")}
          </button>
          {draft.isChanged && (
            <button type="button" class="top-key" onClick={() => change({ do: "open", picture })}>
              {i18n.text("label.drop")}
            </button>
          )}
          <p role="status">{said && i18n.say(said)}</p>
          {picture && <Differences picture={picture} i18n={i18n} />}
        </aside>
      </main>
    </div>
  );
}

interface PicturesProps {
  rows: readonly PictureRowView[];
  number: number | null;
  i18n: I18n;
  onPicture: (number: number) => void;
}

function Pictures({ rows, number, i18n, onPicture }: PicturesProps) {
  return (
    <nav class="label-list" aria-label={i18n.text("label.pictures")}>
      <ol>
        {rows.map((row) => (
          <li key={row.number}>
            <button
              type="button"
              data-state={row.state}
              aria-current={row.number === number ? "true" : undefined}
              onClick={() => onPicture(row.number)}
            >
              <b>{row.name}</b>
              <span>{i18n.text(`label.state_${row.state}`, { count: row.disagree })}</span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Differences({ picture, i18n }: { picture: LabelPictureView; i18n: I18n }) {
  return (
    <section class="label-differences">
      <h2>{i18n.text("label.differences")}</h2>
      {picture.disagreements.length === 0 && <p>{i18n.text("studio.none")}</p>}
      <ul>
        {picture.disagreements.map(({ kind, label, read }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is made anew as a whole
          <li key={at} data-kind={kind}>
            {i18n.text(`label.${kind}`, { label, read })}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Keys {
  rows: readonly PictureRowView[];
  number: number | null;
  go: (to: number | undefined) => void;
  save: () => Promise<void>;
  change: (change: Change) => void;
  enlarge: () => void;
}

/** Keys that count wherever the focus is; those of the picture are its own. */
function useKeys({ rows, number, go, save, change, enlarge }: Keys): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const key = event.key.toLowerCase();
      if (event.altKey || event.metaKey || (event.ctrlKey && key !== "s")) return;
      const here = rows.findIndex((row) => row.number === number);
      const rank = RANKS.find((one) => one.toLowerCase() === key) ?? (key === "0" ? "10" : null);
      const suit = SUITS.find((one) => one === key);
      if (event.ctrlKey) void save();
      else if (key === "n") go(rows[here + 1]?.number);
      else if (key === "p") go(rows[here - 1]?.number);
      else if (key === "z") enlarge();
      else if (key === "delete") change({ do: "remove" });
      else if (rank) change({ do: "rank", rank });
      else if (suit) change({ do: "suit", suit });
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

/** The list, asked for again while pictures are still read. */
function useFolder(): { folder: LabelFolderView | null; refusal: Words | null; renew: () => void } {
  const [folder, setFolder] = useState<LabelFolderView | null>(null);
  const [refusal, setRefusal] = useState<Words | null>(null);
  const [asked, setAsked] = useState(0);
  const renew = useCallback(() => setAsked((times) => times + 1), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew after each save
  useEffect(() => {
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    void labels<LabelFolderView>("").then(({ answer, refusal: why }) => {
      if (gone) return;
      setRefusal(why);
      if (answer) setFolder(answer);
      if (answer && answer.left > 0) timer = setTimeout(renew, AGAIN_MS);
    });
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [asked, renew]);
  return { folder, refusal, renew };
}

/** The picture, asked for again until it is read; a late answer is dropped. */
function usePicture(number: number | null) {
  const [picture, setPicture] = useState<LabelPictureView | null>(null);
  useEffect(() => {
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      const { answer } = await labels<LabelPictureView>(`/${number}`);
      if (gone) return;
      setPicture(answer);
      if (answer && answer.width === 0 && !answer.why) timer = setTimeout(() => void look(), AGAIN_MS);
    };
    setPicture(null);
    if (number !== null) void look();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [number]);
  return { picture, setPicture };
}
