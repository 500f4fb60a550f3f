/* What Rust asks bcryptprimitives.dll of Windows for, for a Wine that has none. */
#include <stddef.h>

__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *at, unsigned long length);

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *at, size_t length)
{
    return SystemFunction036(at, (unsigned long)length);
}
