type AppErrorOptions = {
  cause?: unknown
  /** Extra lines for people: the request, the block, the exceeded limit. */
  meta?: readonly string[] | undefined
  /** May the same operation succeed later? Determines retries and the exit code (75 or 1). */
  retryable?: boolean | undefined
}

/** Base class of every deliberate error. */
export class AppError extends Error {
  /** Stable, SCREAMING_SNAKE, documented in docs/reference/errors.md. */
  readonly code: string
  readonly meta: readonly string[]
  readonly retryable: boolean
  readonly shortMessage: string

  constructor(code: string, shortMessage: string, options: AppErrorOptions = {}) {
    const { cause, meta = [], retryable = false } = options
    super([shortMessage, ...meta.map((line) => `  ${line}`)].join('\n'), { cause })
    this.name = new.target.name
    this.code = code
    this.meta = meta
    this.retryable = retryable
    this.shortMessage = shortMessage
  }
}
