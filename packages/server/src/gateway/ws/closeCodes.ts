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
