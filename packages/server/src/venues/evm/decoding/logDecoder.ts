import type { EvmLog } from '../../../model/evm/evmBlock.ts'
import type { BlockScope } from './blockScope.ts'

/** Puts what a log says into the scope. False: the log is not what its topic promises, and nothing was put. */
export type LogDecoder = (log: EvmLog, scope: BlockScope) => boolean

/** The events of one venue, or of tokens, by topic0. */
export type LogDecoders = Readonly<Record<string, LogDecoder>>
