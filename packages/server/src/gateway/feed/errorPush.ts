import { type ErrorCode, errorSpecs } from '@chaintape/protocol'
import type { Push } from './push.ts'

/** Tells a subscriber, after the acknowledgement, that its subscription cannot go on. */
export function errorPush(
  code: ErrorCode,
  message: string,
  { cursor, param }: { cursor: string | null; param: string },
): Push {
  const error = { code: errorSpecs[code].rpcCode, message, data: { code, param, cursor } }
  const bytes = Buffer.from(`,"jsonrpc":"2.0","error":${JSON.stringify(error)}}`)
  return { plain: bytes, detailed: () => bytes, conflateKey: null, cursor: cursor ?? '' }
}
