/* Which sources the library was built from: the compiler is told their number. */

#include <stdint.h>

uint32_t mark(void)
{
    return MARK;
}
