import { createDevnet, type Devnet } from '../../packages/devnet/src/devnet.ts'
import { readHead } from '../../packages/devnet/src/node/head.ts'

export type DevNodeOptions = {
  /** Lists tokens and pools; `mineMarket` then mines blocks of the bots. @default false */
  market?: boolean
  seed?: string
  /** Time right after the contracts are deployed. The same time and seed give the same hashes. */
  nowS?: number
}

/** A separate chain for one test: blocks are mined by the test, and every block can be reverted. */
export type DevNode = Omit<Devnet, 'mine' | 'mineMarket'> & {
  /**
   * Mines pending transactions, one second after the previous block. Resolves with the block hash.
   */
  mine(timestampS?: number): Promise<string>
  mineMarket(timestampS?: number): Promise<string>
  /** Messages logged by the chain. */
  messages: readonly string[]
  readHead(): Promise<{ number: number; timestampS: number; hash: string; parentHash: string }>
  /** Reverts the newest blocks. The next block has another time, so its hash differs. */
  reorg(depth: number): Promise<void>
}

export const devNodeNowS = 1_750_000_000

// The depth of the deepest reorg in any test.
const snapshotsMax = 256

export async function startDevNode(options: DevNodeOptions = {}): Promise<DevNode> {
  const { market = false, seed = 'test', nowS = devNodeNowS } = options
  const messages: string[] = []
  const onLog = (message: string) => messages.push(message)
  const devnet = await createDevnet({ seed, isMarket: market, nowS: () => nowS, onLog })
  const snapshots: { number: number; id: string }[] = []
  const head = () => readHead(devnet.request)

  // Takes the snapshot right after a block, when nothing is pending: a revert restores pending
  // transactions.
  async function keepHead(): Promise<void> {
    snapshots.push({ number: (await head()).number, id: await devnet.snapshot() })
    if (snapshots.length > snapshotsMax) snapshots.shift()
  }

  await keepHead()
  return {
    ...devnet,
    messages,
    readHead: head,
    async mine(timestampS) {
      const hash = await devnet.mine(timestampS)
      await keepHead()
      return hash
    },
    async mineMarket(timestampS) {
      const hash = await devnet.mineMarket(timestampS)
      await keepHead()
      return hash
    },
    async reorg(depth) {
      const { number } = await head()
      const index = snapshots.findIndex((snapshot) => snapshot.number === number - depth)
      const snapshot = snapshots[index]
      if (!snapshot) throw new Error(`Only ${snapshots.length} blocks can be reverted.`)
      // The node forgets this snapshot and all later ones when it reverts.
      snapshots.length = index
      await devnet.revert(snapshot.id)
      await keepHead()
      devnet.setNextTime((await head()).timestampS + 2)
    },
  }
}
