#pragma once

// Attributes of clang's thread safety analysis: which mutex guards which member, and which one a function
// needs. The preset `locks` compiles with -Wthread-safety -Werror; for other compilers the macros are empty.

#if defined(__clang__)
#define CAIRN_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define CAIRN_THREAD_ATTRIBUTE(attribute)
#endif

// A member that is accessed only with the mutex held.
#define CAIRN_GUARDED_BY(mutex) CAIRN_THREAD_ATTRIBUTE(guarded_by(mutex))
// The same for the object that a pointer points to.
#define CAIRN_PT_GUARDED_BY(mutex) CAIRN_THREAD_ATTRIBUTE(pt_guarded_by(mutex))

// A function that is called with the mutex held, exclusive or shared; or, EXCLUDES, without it, because the
// function locks it.
#define CAIRN_REQUIRES(...) CAIRN_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define CAIRN_REQUIRES_SHARED(...) CAIRN_THREAD_ATTRIBUTE(requires_shared_capability(__VA_ARGS__))
#define CAIRN_EXCLUDES(...) CAIRN_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))

// For the mutexes themselves.
#define CAIRN_CAPABILITY(name) CAIRN_THREAD_ATTRIBUTE(capability(name))
#define CAIRN_SCOPED_CAPABILITY CAIRN_THREAD_ATTRIBUTE(scoped_lockable)
#define CAIRN_ACQUIRE(...) CAIRN_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define CAIRN_ACQUIRE_SHARED(...) CAIRN_THREAD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define CAIRN_RELEASE(...) CAIRN_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define CAIRN_RELEASE_GENERIC(...) CAIRN_THREAD_ATTRIBUTE(release_generic_capability(__VA_ARGS__))
#define CAIRN_TRY_ACQUIRE(...) CAIRN_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))

// For code that the analysis cannot follow. State the reason beside it.
#define CAIRN_NO_THREAD_SAFETY_ANALYSIS CAIRN_THREAD_ATTRIBUTE(no_thread_safety_analysis)
