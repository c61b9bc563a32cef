/* xxhash_implementation: xxHash for standalone builds, compiled from its header; others have it from libxxhash. */
#define XXH_STATIC_LINKING_ONLY
#define XXH_IMPLEMENTATION
#include <xxhash.h>
