import { GeneratedChain, type GeneratedChainOptions } from './generatedChain.ts'
import { createJournal, type Journal, journalFormat, openJournal, type Step } from './journal.ts'
import { keyOf } from './transactionBuilder.ts'

export type LiveChainOptions = {
  /** Where its journal is. */
  dir: string
  seed: number
  /** Of a new chain: so much of it is there at once. */
  historyS: number
  /** At so many blocks the chain has ended. */
  blocksMax: number
  /** In a block, beside those that vote. @default 5 */
  transactions?: number | undefined
  nowMs: number
}

const firstSlot = 1
export const slotMs = 1_000
// Enough for a reader that was away for some minutes; real nodes keep days.
const blocksKept = 400
const forkBlocks = 2
/** A state is saved every so many steps, once it is so many deep: who reads the chain asks for the blocks behind its own. */
const stateEvery = 128
const stateDepth = 128

const chainOptions: Omit<GeneratedChainOptions, 'startTimeS'> = {
  firstSlot,
  slotMs,
  launchEvery: 300,
  curveShare: 2,
  statesMax: forkBlocks,
  blocksMax: blocksKept,
}

/** The generated chain as time goes by: a slot a second, some of them skipped, and now and then a branch that is left again. */
export class LiveChain {
  readonly chain: GeneratedChain
  readonly genesisHash: string
  /** False: made just now. */
  readonly isResumed: boolean
  readonly #journal: Journal
  readonly #blocksMax: number
  /** States that are not deep enough yet, as bytes. */
  readonly #waiting: { steps: number; bytes: Buffer }[] = []

  constructor({ dir, seed, historyS, blocksMax, transactions = 5, nowMs }: LiveChainOptions) {
    const nowS = Math.floor(nowMs / 1_000)
    const found = openJournal(dir)
    const isFull = found !== null && found.steps.length >= blocksMax
    this.isResumed = found !== null && !isFull
    this.#journal = this.isResumed
      ? found!
      : createJournal(dir, { format: journalFormat, seed, startTimeS: nowS - historyS })
    this.#blocksMax = blocksMax
    const { birth, steps } = this.#journal
    this.genesisHash = keyOf(`generated chain ${birth.seed} ${birth.startTimeS}`)
    const saved = this.#journal.loadState()
    this.chain = new GeneratedChain({
      ...chainOptions,
      ...birth,
      transactions,
      state: saved?.state,
    })
    for (const step of steps.slice(saved?.steps ?? 0)) this.#do(step)
    // While nobody ran it, no slot had a block.
    if (!this.isResumed) this.advance(nowMs)
  }

  get isFull(): boolean {
    return this.#journal.steps.length >= this.#blocksMax
  }

  /** Everything up to this time. A chain that was not run goes on with the present. */
  advance(nowMs: number): void {
    const { startTimeS } = this.#journal.birth
    const present = firstSlot + Math.floor((nowMs - startTimeS * 1_000) / slotMs)
    const next = (this.chain.state.tip?.slot ?? firstSlot - 1) + 1
    for (let slot = this.#isAway(next, present) ? present : next; slot <= present; slot++)
      for (const step of stepsAt(slot, this.#forkedBlocks())) this.#take(step)
  }

  remove(): void {
    this.#journal.remove()
  }

  #isAway(next: number, present: number): boolean {
    return this.isResumed && present - next > blocksKept / 10
  }

  /** Of the branch that is to be left, how many blocks are there. */
  #forkedBlocks(): number {
    let count = 0
    for (const step of this.#journal.steps.slice(-forkBlocks).reverse()) {
      if (!('mine' in step) || step.branch === undefined) break
      count++
    }
    return count
  }

  #take(step: Step): void {
    this.#do(step)
    this.#journal.append(step)
    const { length } = this.#journal.steps
    const isSettled = 'mine' in step && step.branch === undefined
    if (isSettled && length % stateEvery === 0)
      this.#waiting.push({ steps: length, bytes: this.#journal.bytesOf(length, this.chain.state) })
    const oldest = this.#waiting[0]
    if (oldest === undefined || length - oldest.steps < stateDepth) return
    this.#waiting.shift()
    this.#journal.saveState(oldest.bytes)
  }

  #do(step: Step): void {
    if ('drop' in step) this.chain.drop(step.drop)
    else this.chain.mineAt(step.mine, step.branch)
  }
}

/** What happens in a slot: the same on every chain, so that whoever reads it long enough has seen it all. */
export function stepsAt(slot: number, forked: number): Step[] {
  const steps: Step[] = forked === forkBlocks ? [{ drop: forkBlocks }] : []
  const isForking = slot % 45 >= 20 && slot % 45 < 20 + forkBlocks && slot > 45
  // Two of those slots come one after the other.
  const isSkipped = slot % 23 === 7 || slot % 101 === 40 || slot % 101 === 41
  if (isForking) return [...steps, { mine: slot, branch: 'left' }]
  return isSkipped ? steps : [...steps, { mine: slot }]
}
