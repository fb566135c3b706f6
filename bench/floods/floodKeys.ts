/** Key of the client whose latency is measured. */
export const goodKey = 'ct_bench_good'
/** Key of the free plan. */
export const freeKey = 'ct_bench_free'
/** Key of the client that subscribes to everything. */
export const hoardKey = 'ct_bench_hoard'
