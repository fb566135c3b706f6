import { type AbiEvent, encodeAbiParameters, encodeEventTopics, parseAbiItem } from 'viem'
import type { EvmLog } from '../../packages/server/src/model/evm/evmBlock.ts'

/** Position and origin of a log. Omitted values get defaults. */
export type LogPosition = {
  address?: string | undefined
  logIndex?: number | undefined
  transactionHash?: string | undefined
}

/**
 * A log as a contract would emit it, encoded by viem, for tests and benches of decoders. `event` is
 * Solidity, for example `event Sync(uint112 reserve0, uint112 reserve1)`.
 */
export function encodeLog(
  event: AbiEvent | string,
  args: Readonly<Record<string, unknown>>,
  place: LogPosition = {},
): EvmLog {
  const item = typeof event === 'string' ? (parseAbiItem(event) as AbiEvent) : event
  const plain = item.inputs.filter((input) => !input.indexed)
  return {
    address: place.address ?? `0x${'aa'.repeat(20)}`,
    topics: encodeEventTopics({ abi: [item], args } as never) as string[],
    data: encodeAbiParameters(
      plain,
      plain.map((input) => args[input.name!]),
    ),
    logIndex: place.logIndex ?? 0,
    transactionHash: place.transactionHash ?? `0x${'11'.repeat(32)}`,
  }
}
