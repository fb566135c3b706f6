import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { MintAccount } from '../../chain/solana/mintAccount.ts'

/** Number of Token-2022's transfer fee extension. */
export const transferFeeExtension = 1

const configBytes = 108
// Offsets of the older fee; the newer follows. Each has its first epoch, the most it takes of one
// transfer, and its rate in 1/10,000.
const olderAt = 72
const newerAt = 90
const wholeParts = 10_000

type Fee = { fromEpoch: bigint; max: bigint; parts: number }

/**
 * The largest part withheld from every transfer of a mint, as a fraction. Only the token programs
 * move tokens, and they withhold nothing else.
 */
export async function readTransferFee(
  rpc: Pick<Rpc, 'request'>,
  { extensions }: MintAccount,
  signal: AbortSignal,
): Promise<number | null> {
  const config = extensions.get(transferFeeExtension)
  if (config === undefined) return 0
  if (config.length < configBytes) return null
  const [older, newer] = [feeAt(config, olderAt), feeAt(config, newerAt)]
  if (shareOf(older) === shareOf(newer)) return shareOf(newer)
  const epoch = await readEpoch(rpc, signal)
  if (epoch === null) return null
  return shareOf(epoch >= newer.fromEpoch ? newer : older)
}

function feeAt(config: Buffer, at: number): Fee {
  return {
    fromEpoch: config.readBigUInt64LE(at),
    max: config.readBigUInt64LE(at + 8),
    parts: config.readUInt16LE(at + 16),
  }
}

function shareOf({ max, parts }: Fee): number {
  return max === 0n ? 0 : Math.min(parts, wholeParts) / wholeParts
}

/** Null if the node does not answer. */
async function readEpoch(rpc: Pick<Rpc, 'request'>, signal: AbortSignal): Promise<bigint | null> {
  const params = [{ commitment: 'confirmed' }]
  const told = await rpc.request('getEpochInfo', params, { signal }).catch(() => null)
  const { epoch } = (told ?? {}) as { epoch?: unknown }
  return typeof epoch === 'number' && Number.isSafeInteger(epoch) ? BigInt(epoch) : null
}
