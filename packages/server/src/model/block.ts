/** A block's place in its chain. `number` rises but may skip (Solana slots do). */
export type BlockRef = {
  number: number
  hash: string
  parentHash: string
  timeS: number
}
