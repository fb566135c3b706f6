// The swaps that `chaintape decode` finds in recorded transactions.
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { SwapSummary } from '../../packages/server/src/model/swapLine.ts'
import { decodeFile } from '../../packages/server/src/ops/decodeFile.ts'
import type { Emit } from './dump.ts'

export async function dumpDecoded(emit: Emit): Promise<void> {
  for (const folder of ['evmReceipts', 'solana']) {
    const path = resolve(import.meta.dirname, '../fixtures', folder)
    for (const file of readdirSync(path)) {
      if (file === 'swaps.json') continue
      const swaps: SwapSummary[] = []
      await decodeFile({
        chain: folder === 'solana' ? folder : file.split('-')[0]!,
        source: join(path, file),
        readInput: () => Promise.reject(new Error('No standard input')),
        onNote: () => undefined,
        onSwap: (swap) => void swaps.push(swap),
      })
      emit(file, swaps)
    }
  }
}
