"""`stand17 label`: label pictures of cards for training and measuring, beside what the reader says."""

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.local_page import serve_page
from controller.ports import SystemClock
from controller.replay.pictures.recorded_pictures import write_pictures
from controller.studio.labelling.folder import LabelFolder
from controller.studio.labelling.label_app import create_labelling
from controller.studio.labelling.label_file import LabelFile, Split
from controller.studio.labelling.read_pictures import ReadPictures, pictures_below
from vision.enrolment import open_with_deck
from vision.reader import CardReader


def label(
    folder: Annotated[Path, typer.Argument(help="A folder of pictures.", file_okay=False)],
    *,
    recording: Annotated[
        Path | None, typer.Option(help="Its cameras' pictures are put into the folder first.", exists=True)
    ] = None,
    port: Annotated[int, typer.Option(help="The first port to try.")] = 8017,
    split: Annotated[Split, typer.Option(help="What new labels are for.")] = "train",
    deck: Annotated[Path | None, typer.Option("--deck", help="The profile of the deck, by `enrol`.")] = None,
) -> None:
    """Label the cards of pictures on a page: four corners, rank and suit, in FOLDER/labels.jsonl.

    The printed address works once, in one browser of this machine. The reader reads every picture meanwhile:
    where it disagrees with a label comes first. Labels that are replaced stay in labels.history.jsonl. Ends
    with Ctrl-C. Of a recording the last picture before each card is taken, 200 at most. Exit status 2 where
    there are no pictures, or the labels that there are cannot be read.
    """
    if recording is not None:
        write_pictures(recording, folder)
    paths = pictures_below(folder)
    # What is wrong with them is printed before the reader is opened.
    LabelFile(folder).rows()
    opened = CardReader.open(threads=1) if deck is None else open_with_deck(deck)[0]
    pictures = ReadPictures(paths, opened.read)
    try:
        labels = LabelFolder(folder, pictures, split, SystemClock())
        serve_page(lambda gate: create_labelling(labels, gate), port)
    finally:
        pictures.close()
