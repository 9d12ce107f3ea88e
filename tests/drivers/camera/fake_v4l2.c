/* A V4L2 camera in front of the real one: loaded before the C library, it answers the calls of a program that
 * opens $FAKE_V4L2/video (a link to /dev/null). It gives the pictures 0.jpg, 1.jpg ... of that folder, thirty
 * a second; without any it gives YUYV. Files in the folder change its manners while it runs: `slow` gives
 * 25 pictures a second at most, `stubborn` keeps its own exposure, `drifting` has another program change it,
 * `gone` is a pulled plug.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WIDTH = 640, HEIGHT = 360, BUFFER = WIDTH * HEIGHT * 2, BUFFERS = 8, CONTROLS = 16, PICTURES = 8 };

static int camera = -1, rate = 30, next_picture, next_buffer, buffers;
static __u32 format;
static char *memory[BUFFERS];
static struct v4l2_control controls[CONTROLS] = {{V4L2_CID_EXPOSURE_AUTO, 3}, {V4L2_CID_EXPOSURE_ABSOLUTE, 250}};

static char *in_folder(const char *name) {
    static char path[4096];
    const char *folder = getenv("FAKE_V4L2");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "/nonexistent", name);
    return path;
}

static int is_there(const char *name) { return access(in_folder(name), F_OK) == 0; }

/* The pictures are read when the library is loaded: a camera needs no file while it runs, and its process may open none. */
static char pictures[PICTURES][BUFFER];
static size_t lengths[PICTURES];

__attribute__((constructor)) static void read_pictures(void) {
    FILE *(*opened)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
    for (int place = 0; place < PICTURES; place++) {
        char name[32];
        snprintf(name, sizeof name, "%d.jpg", place);
        FILE *file = opened(in_folder(name), "rb");
        if (!file) return;
        lengths[place] = fread(pictures[place], 1, BUFFER, file);
        fclose(file);
    }
}

static struct v4l2_control *control(__u32 id) {
    for (int place = 0; place < CONTROLS; place++)
        if (controls[place].id == id || !controls[place].id) {
            controls[place].id = id;
            return &controls[place];
        }
    return NULL;
}

static int set_control(struct v4l2_control *wanted) {
    int is_exposure = wanted->id == V4L2_CID_EXPOSURE_ABSOLUTE;
    if (is_exposure && (control(V4L2_CID_EXPOSURE_AUTO)->value != V4L2_EXPOSURE_MANUAL || is_there("stubborn")))
        return 0;
    control(wanted->id)->value = wanted->value;
    return 0;
}

static int get_control(struct v4l2_control *asked) {
    asked->value = control(asked->id)->value;
    if (asked->id == V4L2_CID_EXPOSURE_ABSOLUTE && is_there("drifting")) asked->value += 300;
    return 0;
}

static int describe(struct v4l2_format *asked, int setting) {
    __u32 wanted = asked->fmt.pix.pixelformat;
    if (setting) format = wanted == V4L2_PIX_FMT_MJPEG && is_there("0.jpg") ? wanted : V4L2_PIX_FMT_YUYV;
    asked->fmt.pix.width = WIDTH;
    asked->fmt.pix.height = HEIGHT;
    asked->fmt.pix.pixelformat = format ? format : V4L2_PIX_FMT_YUYV;
    asked->fmt.pix.bytesperline = WIDTH * 2;
    asked->fmt.pix.sizeimage = BUFFER;
    return 0;
}

static size_t take_picture(char *into) {
    if (format != V4L2_PIX_FMT_MJPEG) {
        for (int at = 0; at < BUFFER; at++) into[at] = at % 2 ? (char)128 : (char)(100 + rand() % 8);
        return BUFFER;
    }
    if (next_picture >= PICTURES || !lengths[next_picture]) next_picture = 0;
    memcpy(into, pictures[next_picture], lengths[next_picture]);
    return lengths[next_picture++];
}

static int give_buffer(struct v4l2_buffer *asked) {
    usleep(1000000 / rate);
    if (is_there("gone")) return errno = ENODEV, -1;
    asked->index = next_buffer++ % buffers;
    asked->length = BUFFER;
    asked->bytesused = take_picture(memory[asked->index]);
    return 0;
}

static int answer(unsigned long request, void *data) {
    struct v4l2_streamparm *pace = data;
    struct v4l2_requestbuffers *wanted = data;
    struct v4l2_buffer *buffer = data;
    switch (request) {
    case VIDIOC_QUERYCAP:
        memset(data, 0, sizeof(struct v4l2_capability));
        ((struct v4l2_capability *)data)->capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        return 0;
    case VIDIOC_G_FMT: return describe(data, 0);
    case VIDIOC_S_FMT: return describe(data, 1);
    case VIDIOC_S_PARM:
        rate = pace->parm.capture.timeperframe.denominator;
        if (is_there("slow") && rate > 25)
            rate = 25;
        return 0;
    case VIDIOC_G_PARM:
        pace->parm.capture.timeperframe.numerator = 1;
        pace->parm.capture.timeperframe.denominator = rate;
        return 0;
    case VIDIOC_REQBUFS: buffers = wanted->count = wanted->count > BUFFERS ? BUFFERS : wanted->count; return 0;
    case VIDIOC_QUERYBUF:
        buffer->length = BUFFER;
        buffer->m.offset = buffer->index * BUFFER;
        return 0;
    case VIDIOC_QBUF: case VIDIOC_STREAMON: case VIDIOC_STREAMOFF: return 0;
    case VIDIOC_DQBUF: return give_buffer(data);
    case VIDIOC_G_CTRL: return get_control(data);
    case VIDIOC_S_CTRL: return set_control(data);
    case VIDIOC_QUERYCTRL:
        ((struct v4l2_queryctrl *)data)->flags = 0;
        ((struct v4l2_queryctrl *)data)->minimum = 0;
        ((struct v4l2_queryctrl *)data)->maximum = 10000;
        return 0;
    }
    return errno = EINVAL, -1;
}

int open(const char *path, int flags, ...) {
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    if (!getenv("FAKE_V4L2") || strcmp(path, in_folder("video"))) return real(path, flags, mode);
    if (is_there("gone")) return errno = ENODEV, -1;
    return camera = real("/dev/null", O_RDWR, 0);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    return open(path, flags, mode);
}

int ioctl(int handle, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    void *data = va_arg(more, void *);
    va_end(more);
    if (handle >= 0 && handle == camera) return answer(request, data);
    return ((int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl"))(handle, request, data);
}

void *mmap(void *at, size_t length, int protection, int flags, int handle, off_t offset) {
    void *(*real)(void *, size_t, int, int, int, off_t) = dlsym(RTLD_NEXT, "mmap");
    if (handle < 0 || handle != camera) return real(at, length, protection, flags, handle, offset);
    return memory[offset / BUFFER] = real(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void *mmap64(void *at, size_t length, int protection, int flags, int handle, off64_t offset) {
    return mmap(at, length, protection, flags, handle, offset);
}

int close(int handle) {
    if (handle == camera) camera = -1;
    return ((int (*)(int))dlsym(RTLD_NEXT, "close"))(handle);
}
