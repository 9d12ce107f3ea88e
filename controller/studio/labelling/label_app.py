"""The page of labels: a folder of pictures in, an application for this machine alone out."""

from typing import Annotated, Final, cast

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.responses import FileResponse

from controller.studio.gate import StudioGate, local_app
from controller.studio.labelling.folder import LabelFolder
from controller.studio.labelling.label_bodies import LabelBody, LabelFolderView, LabelPictureView
from controller.web.routes import texts


def create_labelling(folder: LabelFolder, gate: StudioGate) -> FastAPI:
    """Make the application over a folder; labels are written there, pictures are only read."""
    app = local_app("stand17 label", "label.html", gate, _router)
    app.state.folder = folder
    return app


def _folder(request: Request) -> LabelFolder:
    return cast(LabelFolder, request.app.state.folder)


Folder = Annotated[LabelFolder, Depends(_folder)]


def _number(number: int, folder: Folder) -> int:
    if not 0 <= number < len(folder.pictures.paths):
        raise HTTPException(404)
    return number


Number = Annotated[int, Depends(_number)]
_router: Final = APIRouter()
_router.add_api_route("/api/catalogue/{language}", texts)


# In threads: a large file of labels is read anew at each of them.
@_router.get("/api/labels")
def _listed(folder: Folder) -> LabelFolderView:
    return folder.view()


@_router.get("/api/labels/{number}")
def _one(number: Number, folder: Folder) -> LabelPictureView:
    return folder.picture(number)


@_router.get("/api/labels/{number}/picture")
def _picture(number: Number, folder: Folder) -> FileResponse:
    return FileResponse(folder.pictures.paths[number])


# On the loop itself: two saves never meet.
@_router.post("/api/labels/{number}")
async def _label(number: Number, body: LabelBody, folder: Folder) -> LabelPictureView:
    return folder.label(number, body)
