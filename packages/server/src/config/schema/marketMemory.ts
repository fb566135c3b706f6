import { totalmem } from 'node:os'
import { Type } from '../../lib/schema.ts'

const unitBytes = { MiB: 2 ** 20, GiB: 2 ** 30 }
/**
 * Default part of the machine's memory: the rest is for clients, the database and the disk cache.
 */
const machineShare = 1 / 2

export const marketMemoryField = Type.Optional(
  Type.Union(
    [
      Type.String({ pattern: '^[1-9]\\d{0,6}[MG]iB$', form: 'size in MiB or GiB (example: 4GiB)' }),
      Type.Integer({ minimum: 2 ** 14, maximum: 2 ** 50 }),
    ],
    {
      description:
        'Memory for the tokens and pairs of all chains, as 4GiB or in bytes; a third of it is for writing snapshots. What exceeds it is kept in files below data_dir, see docs/inside/cold.md. Without it: half of what the machine or its container has.',
    },
  ),
)

/** The setting in bytes. */
export function marketMemoryOf(config: { market_memory?: string | number }): number {
  const { market_memory: given } = config
  if (given === undefined) return Math.floor(machineBytes() * machineShare)
  if (typeof given === 'number') return given
  return Number.parseInt(given, 10) * unitBytes[given.slice(-3) as keyof typeof unitBytes]
}

/** Memory of the machine, or of the container where its limit is lower. */
export function machineBytes(): number {
  const limit = process.constrainedMemory() ?? 0
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
