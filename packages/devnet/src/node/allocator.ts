// Settings of the EVM's allocator (mimalloc). Its allocations vary in size and are soon freed,
// mostly by another thread; with default settings it keeps almost twice the memory in use. It reads
// these variables when its library is loaded, so this file must be imported before. Variables that
// are already set stay.
const settings = {
  /**
   * Block states that EDR keeps in memory; it computes older ones from the blocks on demand. With
   * 64, half an hour of a demo took 270 MB more.
   */
  __EDR_MAX_CACHED_STATES: '16',
  /** Returns free pages to the system at once, not at the thread's next turn. */
  MIMALLOC_PURGE_DELAY: '0',
  /** Also those of ended threads. */
  MIMALLOC_ABANDONED_PAGE_PURGE: '1',
  /** A page of 2 MB is taken whole at its first use and returned only once all of it is free. */
  MIMALLOC_ALLOW_LARGE_OS_PAGES: '0',
}

for (const [name, value] of Object.entries(settings)) process.env[name] ??= value

export {}
