import { type ErrorCode, errorSpecs } from '@chaintape/protocol'
import { RequestError } from '../errors.ts'

/**
 * Why this server closes a socket. The specification's own codes below 4000; from 4000 to 4499 a client should
 * connect again and resume.
 */
export const closeCodes = {
  /** A message that is not text. */
  notText: 1003,
  /** The key is missing, unknown, expired or over its sockets; or the client was refused again and again. */
  policy: 1008,
  /** A message over the size of the plan. */
  tooLarge: 1009,
  internal: 1011,
  /** The key cannot be checked now. */
  tryLater: 1013,
  shutdown: 4000,
  /** The reader was too slow; the notice before it says where to resume. */
  lagged: 4001,
} as const

/** Why a socket gets no service: the message it is sent, which is also the reason it is closed with. */
export type Refusal = { code: number; message: string; closeCode: number }

/** The words clients of this interface know. */
export const keyRefusals: Record<
  Extract<ErrorCode, 'missing_key' | 'invalid_key' | 'expired_key'>,
  Refusal
> = {
  missing_key: keyRefusal('Missing API Key'),
  invalid_key: keyRefusal('Unauthorized'),
  expired_key: keyRefusal('API key expired'),
}

export const tooManyConnections: Refusal = keyRefusal('Too Many Connections')

// The key may be good: the client shall try again.
const unavailable: Refusal = {
  code: errorSpecs.unavailable.rpcCode,
  message: 'API keys cannot be checked now',
  closeCode: closeCodes.tryLater,
}

/** What the client gets when the key check threw. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof RequestError)) return unavailable
  const { wireCode } = error
  return wireCode === 'missing_key' || wireCode === 'invalid_key' || wireCode === 'expired_key'
    ? keyRefusals[wireCode]
    : unavailable
}

function keyRefusal(message: string): Refusal {
  return { code: errorSpecs.invalid_key.rpcCode, message, closeCode: closeCodes.policy }
}
