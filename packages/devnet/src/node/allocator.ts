// What the EVM allocates is of all sizes and soon free again, mostly by another thread than the one that made it: as it is set by
// default, its allocator (mimalloc) keeps almost twice of what is in use. It reads these variables when its library is loaded,
// so this file is imported before that. Variables that are set already stay.
const settings = {
  /** States of blocks that EDR keeps in memory; it computes an older one from the blocks when it is asked for. */
  __EDR_MAX_CACHED_STATES: '64',
  /** Pages that are free go back to the system at once, not when their thread comes by again. */
  MIMALLOC_PURGE_DELAY: '0',
  /** Also those of threads that have ended. */
  MIMALLOC_ABANDONED_PAGE_PURGE: '1',
  /** Of a page of 2 MB all is taken as soon as a little is used, and nothing goes back before all is free. */
  MIMALLOC_ALLOW_LARGE_OS_PAGES: '0',
}

for (const [name, value] of Object.entries(settings)) process.env[name] ??= value

export {}
