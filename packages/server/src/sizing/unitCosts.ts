/**
 * What one of everything costs: `us` is processor time of one core in microseconds. Measured on two shared arm64 cores
 * with Node 20 (bench/README.md names each run; docs/scale.md says which figure is which).
 */
export const unitCosts = {
  /** From answers of nodes to the bytes of an entry, in the chain's own thread and V8's helpers. */
  readSwapUs: 43,
  /** One transaction of a Solana block that has to be looked at, parsed and decoded. */
  readTransactionUs: 24,
  /** Engine, queue and writer in the main thread of the process that indexes. */
  indexSwapUs: 11,
  storeSwapUs: 11,
  /** An engine with 1,000,000 pairs, and a feed with subscribers: what every gateway pays for every swap it serves. */
  followSwapUs: 30,
  deliveryUs: 11,
  requestUs: 60,

  pairBytes: 900,
  /** Of a swap of the last day in memory: its part of a minute's bucket and of the wallets counted. */
  daySwapBytes: 75,
  socketBytes: 6_600,
  subscriptionBytes: 1_100,
  processBytes: 600e6,

  /** A stored swap with its indexes. */
  swapRowBytes: 660,
  /** A stored kline with its index, and how many of them a swap leads to. */
  klineRowBytes: 240,
  secondKlinesPerSwap: 1.3,
  minuteKlinesPerSwap: 0.3,
  longKlinesPerSwap: 0.2,
  /** An entry of the log, what it shares with other swaps of its block included. */
  logSwapBytes: 780,

  /** Requests to nodes for a block, and for a swap of a token, pool or wallet that is not known. */
  callsPerBlock: 6,
  callsPerSwap: 0.3,
} as const

/** How full a thing may run, and the largest of its kind that we would plan with. */
export const bounds = {
  /** Of the one thread that serves or indexes: beyond it waits grow. */
  loopShare: 0.6,
  /** Of it for following the log: the rest is for clients. */
  followShare: 0.25,
  memoryShare: 0.75,
  /** Of the 34,200 swaps/s that one PostgreSQL took beside everything else on two cores. */
  databaseSwapsPerS: 17_000,
  databaseBytes: 8e12,
  /** What one server of JetStream passed on in our trials, halved. */
  natsBytesPerS: 50e6,
  socketsPerGateway: 60_000,
} as const
