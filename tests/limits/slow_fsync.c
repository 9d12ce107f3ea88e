/* A bad disk: fsync and fdatasync of a journal's files sleep for SLOW_FSYNC_MS while the file
 * SLOW_FSYNC_WHILE exists, and then fail where SLOW_FSYNC_FAILS is set. For LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wait_for_disk(int fd) {
    const char *flag = getenv("SLOW_FSYNC_WHILE"), *ms = getenv("SLOW_FSYNC_MS");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (flag == NULL || ms == NULL || length < 0 || access(flag, F_OK) != 0)
        return 0;
    path[length] = 0;
    if (strstr(path, ".journal") == NULL)
        return 0;
    usleep((useconds_t)atoi(ms) * 1000);
    errno = EIO;
    return getenv("SLOW_FSYNC_FAILS") == NULL ? 0 : -1;
}

int fsync(int fd) {
    return wait_for_disk(fd) ? -1 : ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
    return wait_for_disk(fd) ? -1 : ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
