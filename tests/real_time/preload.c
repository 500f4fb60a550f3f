/* Counts what a real-time thread must not call, in front of the C library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

enum { ALLOCATIONS, FREES, LOCKS, WAITS, CALLS, KINDS };

static _Atomic int armed;
static _Atomic unsigned long counts[KINDS];

static void count(int kind)
{
    if (atomic_load(&armed))
        atomic_fetch_add(&counts[kind], 1);
}

/* Begins or ends counting. */
void fixstep_arm(int on) { atomic_store(&armed, on); }

/* How often each kind was called while armed. */
unsigned long fixstep_counted(int kind) { return kind < KINDS ? atomic_load(&counts[kind]) : 0; }

void *malloc(size_t size) { count(ALLOCATIONS); return __libc_malloc(size); }
void *calloc(size_t n, size_t size) { count(ALLOCATIONS); return __libc_calloc(n, size); }
void *realloc(void *at, size_t size) { count(ALLOCATIONS); return __libc_realloc(at, size); }
void *memalign(size_t to, size_t size) { count(ALLOCATIONS); return __libc_memalign(to, size); }
void *aligned_alloc(size_t to, size_t size) { count(ALLOCATIONS); return __libc_memalign(to, size); }
int posix_memalign(void **at, size_t to, size_t size)
{
    count(ALLOCATIONS);
    *at = __libc_memalign(to, size);
    return *at ? 0 : 12;
}
void free(void *at) { count(FREES); __libc_free(at); }

/* Functions of one argument that take or give back a lock, or wait. */
#define WATCH(kind, name, type)                                                                      \
    int name(type *object)                                                                           \
    {                                                                                                \
        static int (*next)(type *);                                                                  \
        if (!next)                                                                                   \
            next = (int (*)(type *))dlsym(RTLD_NEXT, #name);                                         \
        count(kind);                                                                                 \
        return next(object);                                                                         \
    }
WATCH(LOCKS, pthread_mutex_lock, pthread_mutex_t)
WATCH(LOCKS, pthread_mutex_trylock, pthread_mutex_t)
WATCH(LOCKS, pthread_mutex_unlock, pthread_mutex_t)
WATCH(LOCKS, pthread_rwlock_rdlock, pthread_rwlock_t)
WATCH(LOCKS, pthread_rwlock_wrlock, pthread_rwlock_t)
WATCH(WAITS, sem_wait, sem_t)

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    static int (*next)(pthread_cond_t *, pthread_mutex_t *);
    if (!next)
        next = (int (*)(pthread_cond_t *, pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_cond_wait");
    count(WAITS);
    return next(condition, lock);
}

/* The locks of Rust's standard library wait and wake through this. */
long syscall(long number, ...)
{
    static long (*next)(long, ...);
    va_list list;
    long a[6];
    va_start(list, number);
    for (int k = 0; k < 6; k++)
        a[k] = va_arg(list, long);
    va_end(list);
    if (!next)
        next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    count(CALLS);
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
