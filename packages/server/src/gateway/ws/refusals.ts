import { type ErrorCode, errorSpecs } from '@chaintape/protocol'
import { RequestError } from '../ground/errors.ts'

/**
 * Close codes of this WebSocket server. Codes below 4000 are those of RFC 6455. After a code from
 * 4000 to 4499, a client should reconnect and resume.
 */
export const closeCodes = {
  /** The client sent a binary message. */
  notText: 1003,
  /**
   * The API key is missing, unknown, expired or over its sockets, or too many messages of the
   * client were refused.
   */
  policy: 1008,
  /** The client sent a message over the size limit of its plan. */
  tooLarge: 1009,
  internal: 1011,
  /** API keys cannot be checked now, or too many requests wait. The client should retry. */
  tryLater: 1013,
  shutdown: 4000,
  /**
   * The client read too slowly. The message before the close frame has the cursor to resume from.
   */
  lagged: 4001,
} as const

/** Refusal of a WebSocket: an error message, which is also the close reason, and the close code. */
export type Refusal = { code: number; message: string; closeCode: number }

/**
 * Refusals by key error. Existing clients know these messages, so the messages must not change.
 */
export const keyRefusals: Record<
  Extract<ErrorCode, 'missing_key' | 'invalid_key' | 'expired_key'>,
  Refusal
> = {
  missing_key: keyRefusal('Missing API Key'),
  invalid_key: keyRefusal('Unauthorized'),
  expired_key: keyRefusal('API key expired'),
}

export const keySocketsRefusal: Refusal = keyRefusal('Too Many Connections')

// The key may be valid, so the client should retry.
const unavailable: Refusal = {
  code: errorSpecs.unavailable.rpcCode,
  message: 'API keys cannot be checked now',
  closeCode: closeCodes.tryLater,
}

/** Converts an error of the key check into the refusal sent to the client. */
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
