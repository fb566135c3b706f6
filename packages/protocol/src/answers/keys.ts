import {
  count,
  integer,
  list,
  nullable,
  number,
  object,
  part,
  row,
  type TypeOf,
  text,
  timeS,
} from '../describe.ts'

/** Usage sums. */
const sum = {
  requests: count('Number of requests, including failed ones.'),
  failed: count('Number of failed requests, which cost nothing.'),
  credits: count('Credits used.', 'credits'),
} as const

const perOperation = object(
  part('Usage of one operation.', {
    operation: text('`operationId` of the OpenAPI document.'),
    ...sum,
  }),
)

export const usage = row('Usage', "Usage of the key's account in this period.", {
  key: object(
    part('The key of this request.', {
      id: integer('Id of the key.'),
      name: text('Label given by the operator.'),
      expires_at: nullable(timeS('Expiry time; null: never.')),
    }),
  ),
  plan: text('Name of the plan.'),
  rate_limit: object(
    part('Request rate of the plan.', {
      requests_per_s: nullable(number('perSecond', 'Requests per second; null: no limit.')),
      burst: nullable(count('Requests allowed at once after a pause; null: no limit.')),
      remaining: nullable(count('Requests left in the current burst; null: no limit, or unknown.')),
    }),
  ),
  credits: object(
    part('Credit units of the plan.', {
      limit: nullable(count('Credits per period; null: no limit.', 'credits')),
      used: count('Credits used in this period.', 'credits'),
      remaining: nullable(count('Credits left in this period; null: no limit.', 'credits')),
    }),
  ),
  period: object(
    part('The accounting period of credits.', {
      start: timeS('First second of the period.'),
      end: timeS('End of the period, when the next one starts.'),
    }),
  ),
  total: object(part('Usage of the whole period.', sum)),
  operations: list(perOperation, 'Per operation, most credits first.'),
  days: list(
    object(
      part('Usage of one day.', {
        date: text('Date, `YYYY-MM-DD`, UTC.'),
        ...sum,
        operations: list(perOperation, 'Per operation, most credits first.'),
      }),
    ),
    'Per day, oldest first.',
  ),
})
/** Answer of GET /v2/usage. */
export type UsageBody = TypeOf<typeof usage>

export const apiKey = row('ApiKey', 'An API key, without its secret.', {
  id: count('Id of the key.'),
  account_id: count('Account that collects the usage; a rotated key keeps its account.'),
  name: text('Label given by the operator.'),
  plan: text('Name of the plan.'),
  created_at: timeS('Creation time.'),
  expires_at: nullable(timeS('Expiry time; null: never.')),
  revoked_at: nullable(timeS('Revocation time; null: not revoked.')),
})
/** An API key as the admin API and the command line show it. */
export type KeyBody = TypeOf<typeof apiKey>

const secret = text('The secret key. It is shown only once; the service stores its hash.')

export const madeKey = row('MadeKey', 'A new API key.', {
  key: secret,
  ...apiKey.fields,
})

export const rotatedKey = row('RotatedKey', 'A new API key that replaces another one.', {
  ...madeKey.fields,
  replaces: count('Id of the replaced key.'),
})

export const listedKeys = row('ListedKeys', 'All API keys.', {
  keys: list(
    object(
      part('An API key and its usage.', {
        ...apiKey.fields,
        period: object(
          part('Usage in this period.', {
            requests: sum.requests,
            credits: sum.credits,
          }),
        ),
      }),
    ),
    'Oldest first.',
  ),
})
