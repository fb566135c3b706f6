// Makes one checkpoint of the local chain, as a program of its own so that the chain does not stand still meanwhile:
// `node checkpointMain.js '{"dir":"...","base":1024,"keptBlocks":128}'`. It tells its parent the block over IPC.
import { getPriority, setPriority } from 'node:os'
import { createCollectGarbage } from './node/collectGarbage.ts'
import { makeCheckpoint } from './node/state/makeCheckpoint.ts'
import { chainId } from './profile.ts'

/** What the program tells its parent. */
export type CheckpointMessage = { number: number | null } | { message: string }

function tell(message: CheckpointMessage): void {
  process.send?.(message, undefined, undefined, () => process.exit())
}

// Whoever asks the chain comes first; where other programs want all of the machine, it still gets a third of what each of them does.
setPriority(Math.max(getPriority(), 5))
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit())

try {
  const { dir, base, keptBlocks } = JSON.parse(process.argv[2] ?? '') as {
    dir: string
    base?: number
    keptBlocks: number
  }
  const collectGarbage = createCollectGarbage()
  const number = await makeCheckpoint({ chainId, dir, base, keptBlocks, collectGarbage })
  tell({ number: number ?? null })
} catch (error) {
  tell({ message: (error as Error).message })
}
