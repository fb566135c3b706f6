import { createDevnet, type Devnet } from '../../packages/devnet/src/devnet.ts'
import { readHead } from '../../packages/devnet/src/node/head.ts'

export type DevNodeOptions = {
  /** List tokens and pools; `mineMarket` then mines blocks of the bots. @default false */
  market?: boolean
  seed?: string
  /** Time just after the contracts are deployed; the same time and seed give the same hashes. */
  nowS?: number
}

/** A chain of its own for one test: manual mining, every block can be reverted. */
export type DevNode = Omit<Devnet, 'mine' | 'mineMarket'> & {
  /** Mines what is pending, a second after the block before; resolves with the hash. */
  mine(timestampS?: number): Promise<string>
  mineMarket(timestampS?: number): Promise<string>
  /** What the chain complained of. */
  messages: readonly string[]
  readHead(): Promise<{ number: number; timestampS: number; hash: string; parentHash: string }>
  /** Takes back the newest blocks. The next block has another time, so its hash differs. */
  reorg(depth: number): Promise<void>
}

export const devNodeNowS = 1_750_000_000

// The depth of the deepest reorg a test asks for.
const snapshotsMax = 256

export async function startDevNode(options: DevNodeOptions = {}): Promise<DevNode> {
  const { market = false, seed = 'test', nowS = devNodeNowS } = options
  const messages: string[] = []
  const onLog = (message: string) => messages.push(message)
  const devnet = await createDevnet({ seed, isMarket: market, nowS: () => nowS, onLog })
  const snapshots: { number: number; id: string }[] = []
  const head = () => readHead(devnet.request)

  // Right after a block, when nothing is pending: else a reorg would bring back what was.
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
      // The node forgets this snapshot and all later ones.
      snapshots.length = index
      await devnet.revert(snapshot.id)
      await keepHead()
      devnet.setNextTime((await head()).timestampS + 2)
    },
  }
}
