/* An importer in C for every platform: loads an FMU's library as a plan says, runs it, frees, unloads, and prints
 * every output as the bits of the number. `host PLAN`; a plan is lines of a word and its value. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

enum { LINE = 4096, OUTPUTS = 1000, WORDS = 400, PART = 64 };

static struct {
    int version;                             /* of FMI */
    char library[LINE], scratch[LINE];       /* the second: a copy that is loaded and deleted in each round */
    char resources[LINE];                    /* as an importer says it; empty: nothing is said */
    char token[LINE];
    double start, step;
    unsigned long steps, rounds;
    uint32_t outputs[OUTPUTS], lock;         /* value references; the second of solver.lock_memory */
    uint64_t published[OUTPUTS];             /* where the outputs stand from the library's base; none: they do not */
    size_t count, places;
    bool locks, fault;
} plan;

static _Noreturn void fail(const char *what)
{
    printf("FAILED %s\n", what);
    exit(1);
}

static void read_plan(const char *path)
{
    static char line[LINE];
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("the plan cannot be read");
    while (fgets(line, LINE, file)) {
        line[strcspn(line, "\r\n")] = 0;
        char *value = strchr(line, ' ');
        if (!value)
            fail(line);
        *value++ = 0;
        if (!strcmp(line, "version")) plan.version = atoi(value);
        else if (!strcmp(line, "library")) strcpy(plan.library, value);
        else if (!strcmp(line, "scratch")) strcpy(plan.scratch, value);
        else if (!strcmp(line, "resources")) strcpy(plan.resources, value);
        else if (!strcmp(line, "token")) strcpy(plan.token, value);
        else if (!strcmp(line, "start")) plan.start = strtod(value, NULL);
        else if (!strcmp(line, "step")) plan.step = strtod(value, NULL);
        else if (!strcmp(line, "steps")) plan.steps = strtoul(value, NULL, 10);
        else if (!strcmp(line, "rounds")) plan.rounds = strtoul(value, NULL, 10);
        else if (!strcmp(line, "fault")) plan.fault = true;
        else if (!strcmp(line, "lock")) { plan.lock = (uint32_t)strtoul(value, NULL, 10); plan.locks = true; }
        else if (!strcmp(line, "output") && plan.count < OUTPUTS)
            plan.outputs[plan.count++] = (uint32_t)strtoul(value, NULL, 10);
        else if (!strcmp(line, "published") && plan.places < OUTPUTS)
            plan.published[plan.places++] = strtoull(value, NULL, 16);
        else fail(line);
    }
    fclose(file);
}

#ifdef _WIN32
typedef HMODULE Module;

static const wchar_t *wide(const char *text, wchar_t *room)
{
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, room, LINE))
        fail("a name is no UTF-8");
    return room;
}

static Module load(const char *path)
{
    static wchar_t name[LINE];
    HMODULE module = LoadLibraryW(wide(path, name));
    if (!module)
        printf("error %lu\n", GetLastError());
    return module;
}

static void *symbol(Module module, const char *name) { return (void *)GetProcAddress(module, name); }
static bool unload(Module module) { return FreeLibrary(module); }
static const char *base(Module module) { return (const char *)module; }

static bool copy(const char *from, const char *to)
{
    static wchar_t a[LINE], b[LINE];
    return CopyFileW(wide(from, a), wide(to, b), TRUE);
}

static bool erase(const char *path)
{
    static wchar_t name[LINE];
    return DeleteFileW(wide(path, name));
}
#else
typedef void *Module;

static Module load(const char *path)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module)
        printf("error %s\n", dlerror());
    return module;
}

static void *symbol(Module module, const char *name) { return dlsym(module, name); }
static bool unload(Module module) { return dlclose(module) == 0; }

static const char *base(Module module)
{
    Dl_info info;
    void *inside = dlsym(module, "fmi2GetVersion");
    return inside && dladdr(inside, &info) ? info.dli_fbase : NULL;
}

static bool copy(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wbx");
    static char block[1 << 16];
    size_t length;
    while (in && out && (length = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, length, out);
    bool done = in && out && !ferror(in) && !ferror(out);
    if (in) fclose(in);
    if (out) done = fclose(out) == 0 && done;
    return done;
}

static bool erase(const char *path) { return remove(path) == 0; }
#endif

/* FMI 2 sends finished texts with doubled percent signs. */
static void log2(void *environment, const char *instance, int status, const char *category, const char *message, ...)
{
    (void)environment, (void)instance;
    printf("log %d %s ", status, category ? category : "-");
    va_list rest;
    va_start(rest, message);
    vprintf(message, rest);
    va_end(rest);
    printf("\n");
}

static void log3(void *environment, int status, const char *category, const char *message)
{
    (void)environment;
    printf("log %d %s %s\n", status, category ? category : "-", message ? message : "-");
}

typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} Callbacks2;

static Module module;
static Callbacks2 callbacks2 = { log2, calloc, free, NULL, NULL };

/* A function of the version in force. */
static void *function(const char *name)
{
    static char full[100];
    snprintf(full, sizeof full, "fmi%d%s", plan.version, name);
    void *found = symbol(module, full);
    if (!found)
        fail(full);
    return found;
}

static void *instantiate(void)
{
    const char *resources = plan.resources[0] ? plan.resources : NULL;
    if (plan.version == 2) {
        void *(*make)(const char *, int, const char *, const char *, const Callbacks2 *, int, int) =
            function("Instantiate");
        return make("host", 1, plan.token, resources, &callbacks2, 0, 0);
    }
    void *(*make)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *,
                  void (*)(void *, int, const char *, const char *), void *) = function("InstantiateCoSimulation");
    return make("host", plan.token, resources, false, false, false, false, NULL, 0, NULL, log3, NULL);
}

static int lock_memory(void *instance)
{
    if (plan.version == 2) {
        int on = 1;
        int (*set)(void *, const uint32_t *, size_t, const int *) = function("SetBoolean");
        return set(instance, &plan.lock, 1, &on);
    }
    bool on = true;
    int (*set)(void *, const uint32_t *, size_t, const bool *, size_t) = function("SetBoolean");
    return set(instance, &plan.lock, 1, &on, 1);
}

static int initialize(void *instance)
{
    int status = plan.locks ? lock_memory(instance) : 0;
    if (plan.version == 2) {
        int (*setup)(void *, int, double, double, int, double) = function("SetupExperiment");
        int (*enter)(void *) = function("EnterInitializationMode");
        status |= setup(instance, 0, 0, plan.start, 0, 0) | enter(instance);
    } else {
        int (*enter)(void *, bool, double, double, bool, double) = function("EnterInitializationMode");
        status |= enter(instance, false, 0, plan.start, false, 0);
    }
    int (*leave)(void *) = function("ExitInitializationMode");
    return status | leave(instance);
}

/* The status; whether the FMU wants to end is told in `ends`. */
static int advance(void *instance, double time, bool *ends)
{
    *ends = false;
    if (plan.version == 2) {
        int (*step)(void *, double, double, int) = function("DoStep");
        int status = step(instance, time, plan.step, 1);
        *ends = status == 2;
        return *ends ? 0 : status;
    }
    bool event, early;
    double last;
    int (*step)(void *, double, double, bool, bool *, bool *, bool *, double *) = function("DoStep");
    return step(instance, time, plan.step, true, &event, ends, &early, &last);
}

static int outputs(void *instance, double *values)
{
    if (plan.version == 2) {
        int (*get)(void *, const uint32_t *, size_t, double *) = function("GetReal");
        return get(instance, plan.outputs, plan.count, values);
    }
    int (*get)(void *, const uint32_t *, size_t, double *, size_t) = function("GetFloat64");
    return get(instance, plan.outputs, plan.count, values, plan.count);
}

static void print_outputs(void *instance, unsigned long step)
{
    static double values[OUTPUTS];
    if (outputs(instance, values) != 0)
        fail("the outputs cannot be read");
    printf("%lu", step);
    for (size_t k = 0; k < plan.count; k++) {
        uint64_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        printf(" %016" PRIx64, bits);
    }
    printf("\n");
    const char *from = base(module);
    for (size_t k = 0; k < plan.places; k++)
        if (!from || memcmp(from + plan.published[k], &values[k], sizeof values[k]) != 0)
            fail("another value stands in memory than the interface gives");
}

static void end(void *instance)
{
    void (*release)(void *) = function("FreeInstance");
    release(instance);
}

static void *ready(void)
{
    void *instance = instantiate();
    if (!instance)
        fail("no instance");
    if (initialize(instance) != 0)
        fail("the initialization");
    return instance;
}

static void simulate(void)
{
    void *instance = ready();
    print_outputs(instance, 0);
    for (unsigned long step = 1; step <= plan.steps; step++) {
        bool ends;
        if (advance(instance, plan.start + (double)(step - 1) * plan.step, &ends) != 0)
            fail("a step");
        print_outputs(instance, step);
        if (ends) {
            printf("ends\n");
            break;
        }
    }
    int (*terminate)(void *) = function("Terminate");
    if (terminate(instance) != 0)
        fail("the end");
    end(instance);
}

/* Is a number the address of so many words that can be written to? */
static bool is_writable(uint64_t address, size_t words)
{
    uint64_t end = address + 8 * words;
    if (address % 8 != 0 || address < 0x10000 || address >> 47 != 0)
        return false;
#ifdef _WIN32
    MEMORY_BASIC_INFORMATION found;
    if (!VirtualQuery((void *)(uintptr_t)address, &found, sizeof found))
        return false;
    return found.State == MEM_COMMIT && found.Protect == PAGE_READWRITE &&
           end <= (uint64_t)(uintptr_t)found.BaseAddress + found.RegionSize;
#else
    FILE *maps = fopen("/proc/self/maps", "r");
    static char line[LINE];
    bool is = false;
    while (maps && !is && fgets(line, LINE, maps)) {
        unsigned long long from, to;
        char mode[5];
        is = sscanf(line, "%llx-%llx %4s", &from, &to, mode) == 3 && from <= address && end <= to &&
             mode[0] == 'r' && mode[1] == 'w';
    }
    if (maps)
        fclose(maps);
    return is;
#endif
}

/* Are a number and the next one address and length of a list? */
static bool is_list(const uint64_t *place)
{
    return place[1] > 0 && place[1] < 1000000 && is_writable(place[0], 1);
}

/* A step while a list has length 0: does it come back as the status Fatal, with the instance lost? */
static bool breaks(void *instance, uint64_t *list)
{
    uint64_t length = list[1];
    bool ends;
    list[1] = 0;
    int status = advance(instance, plan.start, &ends);
    bool broken = status == 4;
    if (broken)
        status = advance(instance, plan.start, &ends);
    list[1] = length;
    if (broken)
        printf(status == 4 ? "fatal and lost\n" : "FAILED the instance is not lost\n");
    return broken;
}

/* Makes the library fail within: what an instance, or a large part of it that stands elsewhere, knows of the length of
 * a list of its own is set to 0, one list after the other in fresh instances, and a step is made. An index beyond a
 * list is a panic. It must come back as the status Fatal, and the instance must stay lost; a library that cannot unwind
 * ends the process instead. */
static void provoke(void)
{
    void *instance = ready();
    for (size_t k = 0; k + 1 < WORDS; k++) {
        for (size_t n = 0; n < PART; n++) {
            uint64_t *words = instance;
            bool is_part = is_writable(words[k], PART + 1) && !is_list(words + k);
            uint64_t *place = is_part ? (uint64_t *)(uintptr_t)words[k] + n : words + k;
            if (is_list(place)) {
                bool broken = breaks(instance, place);
                end(instance);
                if (broken)
                    return;
                instance = ready();
            }
            if (!is_part)
                break;
        }
    }
    end(instance);
    fail("nothing made the library fail");
}

int main(int count, char **words)
{
    if (count != 2)
        fail("usage: host PLAN");
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    read_plan(words[1]);
    for (unsigned long round = 0; round < plan.rounds; round++) {
        const char *path = plan.library;
        if (plan.scratch[0]) {
            path = plan.scratch;
            if (!copy(plan.library, path))
                fail("the library cannot be copied");
        }
        module = load(path);
        if (!module)
            fail("the library cannot be loaded");
        if (plan.fault)
            provoke();
        else
            simulate();
        if (!unload(module))
            fail("the library cannot be unloaded");
        if (plan.scratch[0] && !erase(path))
            fail("the library is still in use after it was unloaded");
    }
    printf("end %lu\n", plan.rounds);
    return 0;
}
