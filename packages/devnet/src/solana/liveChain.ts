import { GeneratedChain, type GeneratedChainOptions } from './generatedChain.ts'
import { keyOf } from './transactionBuilder.ts'

export type LiveChainOptions = {
  seed: number
  /** Seconds of history that exist at the start. */
  historyS: number
  /** The chain ends after this many steps. */
  blocksMax: number
  /** Transactions of a block beside votes. @default 5 */
  transactions?: number | undefined
  nowMs: number
}

/** Mines a block in a slot on the named branch, or drops the newest blocks. */
type Step = { mine: number; branch?: string } | { drop: number }

const firstSlot = 1
export const slotMs = 1_000
// Enough for a reader that was away for some minutes; real nodes keep days.
const blocksKept = 400
const forkBlocks = 2

const chainOptions: Omit<GeneratedChainOptions, 'startTimeS'> = {
  firstSlot,
  slotMs,
  launchEvery: 300,
  curveShare: 2,
  statesMax: forkBlocks,
  blocksMax: blocksKept,
}

/**
 * The generated chain in real time: one slot a second, some skipped, and sometimes a branch that is
 * abandoned again.
 */
export class LiveChain {
  readonly chain: GeneratedChain
  readonly genesisHash: string
  readonly #startTimeS: number
  readonly #blocksMax: number
  #slot = firstSlot - 1
  #steps = 0
  /** Blocks of the branch that will be abandoned. */
  #forkedBlocks = 0

  constructor({ seed, historyS, blocksMax, transactions = 5, nowMs }: LiveChainOptions) {
    const startTimeS = Math.floor(nowMs / 1_000) - historyS
    this.#startTimeS = startTimeS
    this.#blocksMax = blocksMax
    this.genesisHash = keyOf(`generated chain ${seed} ${startTimeS}`)
    this.chain = new GeneratedChain({ ...chainOptions, seed, startTimeS, transactions })
    this.advance(nowMs)
  }

  get isFull(): boolean {
    return this.#steps >= this.#blocksMax
  }

  /** Performs all steps up to this time. */
  advance(nowMs: number): void {
    const present = firstSlot + Math.floor((nowMs - this.#startTimeS * 1_000) / slotMs)
    for (; this.#slot < present; this.#slot++)
      for (const step of stepsAt(this.#slot + 1, this.#forkedBlocks)) this.#take(step)
  }

  #take(step: Step): void {
    if ('drop' in step) this.chain.drop(step.drop)
    else this.chain.mineAt(step.mine, step.branch)
    this.#forkedBlocks = 'mine' in step && step.branch !== undefined ? this.#forkedBlocks + 1 : 0
    this.#steps++
  }
}

/**
 * Special events of a slot: the same on every chain, so that a reader who stays long enough sees
 * them all.
 */
export function stepsAt(slot: number, forked: number): Step[] {
  const steps: Step[] = forked === forkBlocks ? [{ drop: forkBlocks }] : []
  const isForking = slot % 45 >= 20 && slot % 45 < 20 + forkBlocks && slot > 45
  // Two of those slots come one after the other.
  const isSkipped = slot % 23 === 7 || slot % 101 === 40 || slot % 101 === 41
  if (isForking) return [...steps, { mine: slot, branch: 'left' }]
  return isSkipped ? steps : [...steps, { mine: slot }]
}
