/* A disk that takes its time: fsync and fdatasync of a journal's files sleep for SLOW_FSYNC_MS while the file
 * SLOW_FSYNC_WHILE exists. For LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wait_for_disk(int fd) {
    const char *flag = getenv("SLOW_FSYNC_WHILE"), *ms = getenv("SLOW_FSYNC_MS");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (flag == NULL || ms == NULL || length < 0 || access(flag, F_OK) != 0)
        return;
    path[length] = 0;
    if (strstr(path, ".journal") != NULL)
        usleep((useconds_t)atoi(ms) * 1000);
}

int fsync(int fd) {
    wait_for_disk(fd);
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
    wait_for_disk(fd);
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
