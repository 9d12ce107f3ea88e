// The screen of one table, the dealer's or the pit's: the line on top, the felt, and below it what can be pressed.
import { useState } from "preact/hooks";
import { DealerControls } from "./dealer/dealer-controls";
import { useDealer } from "./dealer/use-dealer";
import { atTheDoors } from "./demo/doors";
import { FaultNote, playAt } from "./demo/faults";
import { useTraining } from "./demo/training";
import { type Language, useI18n } from "./i18n/i18n";
import { useOver } from "./pit/dialogs";
import { PitControls } from "./pit/pit-bar";
import { cardSubject, type Subject } from "./pit/ways";
import { type Person, signOut } from "./server/http";
import { CameraPanel } from "./shared/camera-view";
import { FittedTable } from "./shared/fitted-table";
import { InstructionBar } from "./shared/instruction-bar";
import { useHotkeys } from "./shared/keys";
import { SimulationStrip, TopBar } from "./shared/top-bar";
import { useCommands } from "./shared/use-commands";
import type { SessionView, TableView } from "./view";

interface Props {
  view: TableView;
  live: boolean;
  session: SessionView;
  /** The screen's own person, as commands name him. */
  home: Person;
  onLanguage: (language: Language) => void;
  /** Somebody has signed in or out, or has to: the server is asked anew who it is. */
  onSession: () => void;
}

/** Draws a view and sends what is pressed. While `live` is false nothing can be. */
export function Screen({ view, live, session, home, onLanguage, onSession }: Props) {
  const commands = useCommands(view, home, onSession);
  const doors = view.mode === "simulation" && session.screen === null && session.guest !== null;
  const screen = useDealer(view, live, commands);
  const pit = commands.person.role === "pit";
  const off = !live;
  const i18n = useI18n();
  const { knows } = i18n;
  const training = useTraining(view, commands.refusal, view.autoplay === false && !pit, knows);
  const { draw: drawing } = view;
  const over = useOver({
    view,
    off,
    session,
    commands,
    prompt: screen.prompt,
    pit,
    training,
    onLanguage,
    first: doors && atTheDoors() ? { open: "doors" } : null,
  });
  const { open } = over;
  const draw = drawing && (() => void commands.run("draw", [drawing]));
  useHotkeys((key) => {
    if (over.busy) return false;
    if (key === "?") open({ open: "keys" });
    if (key === "?" || pit || !live) return key === "?";
    if (screen.press(key)) return true;
    if (key !== "w" || !draw) return false;
    draw();
    return true;
  });

  const leave = async (): Promise<void> => {
    const beside = commands.person.actor !== home.actor;
    if (commands.person.grant === null) await signOut(beside ? "pit" : "screen");
    commands.setPerson(home);
    onSession();
  };
  const leavePit = (): void => void leave();
  const [cameras, setCameras] = useState(false);
  // At a live table the players look at the dealer's screen, too: the pit opens it there.
  const mayLook = pit || view.mode === "simulation";
  const beside = cameras && mayLook;
  // A card stays a key while the page is not live: another element in its place would lose the focus.
  const correct = (card: number): void => {
    if (live) open({ open: "entered", at: cardSubject(view, card) });
  };
  const putRight = (at: Omit<Subject, "round">): void =>
    open({ open: "entered", at: { ...at, round: view.round } });

  return (
    <div
      class={view.mode === "simulation" || view.shadow ? "app simulated grid" : "app grid"}
      data-seq={view.seq}
      data-live={live}
      data-tone={screen.prompt.tone}
    >
      <TopBar
        view={view}
        person={commands.person}
        onLanguage={onLanguage}
        onShoe={() => open({ open: "shoe" })}
        onCamera={mayLook ? () => setCameras(!cameras) : undefined}
        onScreen={() => open({ open: "screen" })}
        onPit={() => (pit ? leavePit() : open({ open: "sign-in" }))}
        onSignOut={session.screen ? () => void signOut("screen").then(onSession) : undefined}
      />
      {view.mode === "simulation" && (
        <SimulationStrip
          autoplay={view.autoplay}
          off={off}
          onDraw={draw}
          onDoors={doors ? () => open({ open: "doors" }) : null}
          onBreak={view.faults.length > 0 ? () => open({ open: "faults" }) : null}
          speed={view.speed}
          onSpeed={(speed) => void playAt(speed).then((why) => why && commands.refuse(why))}
          onTraining={view.autoplay === null ? null : () => open({ open: "training" })}
          mistakes={training.mistakes.length}
          onAutoplay={(on) => void commands.run("autoplay", [{ do: "autoplay", on }])}
        />
      )}
      {view.shadow && (
        <div class="simulation" role="note">
          <b>{i18n.text("ui.shadow")}</b>
        </div>
      )}
      <InstructionBar prompt={screen.prompt} detail={screen.detail} chips={view.chips} />
      <main class={beside ? "felt beside" : "felt"}>
        <FaultNote faults={view.faults} />
        <FittedTable
          view={view}
          prompt={screen.prompt}
          selected={screen.bets.selection?.box ?? null}
          lays={screen.bets.inHand !== null}
          from="dealer"
          onBox={off ? undefined : pit ? (box) => putRight({ fact: "stake", box }) : screen.onBox}
          onHand={pit && live ? (box, hand) => putRight({ fact: "decision", box, hand }) : undefined}
          onDealer={pit && live ? () => putRight({ fact: "peek", box: 0 }) : undefined}
          onCard={pit ? correct : undefined}
        />
        {beside && <CameraPanel onClose={() => setCameras(false)} />}
      </main>
      {pit ? (
        <PitControls
          view={view}
          off={off}
          onActs={(acts) => void commands.run("pit", acts)}
          onByHand={over.enterByHand}
          onOpen={open}
          onLeave={leavePit}
        />
      ) : (
        <DealerControls view={view} screen={screen} off={off} commands={commands} />
      )}
      {over.drawn}
    </div>
  );
}
