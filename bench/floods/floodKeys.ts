/** Of the client whose waits are measured. */
export const goodKey = 'ct_bench_good'
/** Of the plan for strangers who have asked for a key. */
export const freeKey = 'ct_bench_free'
/** Of whoever subscribes to everything. */
export const hoardKey = 'ct_bench_hoard'
