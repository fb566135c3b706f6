import { type ErrorCode, errorSpecs } from '@chaintape/protocol'
import { AppError } from '../../lib/errors.ts'

/** A request error whose code and message are sent to the client unchanged. */
export class RequestError extends AppError {
  readonly wireCode: ErrorCode
  readonly param: string | undefined
  /** Seconds after which the client may retry the request. Undefined: unknown. */
  readonly retryAfterS: number | undefined

  constructor(
    wireCode: ErrorCode,
    sentence: string,
    param?: string,
    { retryAfterS }: { retryAfterS?: number } = {},
  ) {
    super(wireCode.toUpperCase(), sentence, { retryable: errorSpecs[wireCode].retryable })
    this.wireCode = wireCode
    this.param = param
    this.retryAfterS = retryAfterS
  }
}

/** The plan named for an API key is not configured. */
export class UnknownPlanError extends AppError {
  readonly known: readonly string[]

  constructor({ plan, known }: { plan: string; known: readonly string[] }) {
    super('PLAN_UNKNOWN', `There is no plan ${JSON.stringify(plan)}.`, {
      meta: [
        `Plans: ${known.join(', ')}`,
        'More can be configured in plans, see docs/reference/config.md.',
      ],
    })
    this.known = known
  }
}

/** The HTTP server cannot listen on its configured host and port. */
export class ListenError extends AppError {
  constructor({ host, port, cause }: { host: string; port: number; cause: unknown }) {
    const code = (cause as { code?: string } | null)?.code
    const isTaken = code === 'EADDRINUSE'
    super(
      'LISTEN_FAILED',
      isTaken
        ? `Port ${port} is already in use; choose another with --port.`
        : `The service cannot listen on ${host}, port ${port}.`,
      { cause, meta: code === undefined ? [] : [`Reason: ${code}`] },
    )
  }
}
