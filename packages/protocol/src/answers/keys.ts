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
  requests: count('Requests, failed ones among them.'),
  failed: count('Failed requests, which cost nothing.'),
  credits: count('What they cost.', 'credits'),
} as const

const perOperation = object(
  part('Usage of one operation.', {
    operation: text('`operationId` of the OpenAPI document.'),
    ...sum,
  }),
)

export const usage = row('Usage', 'What a key’s account used in this period.', {
  key: object(
    part('The key that asked.', {
      id: integer('Id of the key.'),
      name: text('Whose it is, or what for.'),
      expires_at: nullable(timeS('When it expires; null: never.')),
    }),
  ),
  plan: text('Name of the plan.'),
  rate_limit: object(
    part('Requests that the plan allows; null: no limit.', {
      requests_per_s: nullable(number('perSecond', 'Requests; null: no limit.')),
      burst: nullable(count('Requests at once after a pause; null: no limit.')),
      remaining: nullable(count('Requests that are left now; null: no limit, or not known.')),
    }),
  ),
  credits: object(
    part('Credit units of the plan; null: no limit.', {
      limit: nullable(count('Of a period; null: no limit.', 'credits')),
      used: count('Used in this period.', 'credits'),
      remaining: nullable(count('Left in this period; null: no limit.', 'credits')),
    }),
  ),
  period: object(
    part('The period that credits are counted in.', {
      start: timeS('Its first second.'),
      end: timeS('Its end, when the next one starts.'),
    }),
  ),
  total: object(part('Usage of the whole period.', sum)),
  operations: list(perOperation, 'By operation, most credits first.'),
  days: list(
    object(
      part('Usage of one day.', {
        date: text('The day, `YYYY-MM-DD`, UTC.'),
        ...sum,
        operations: list(perOperation, 'By operation, most credits first.'),
      }),
    ),
    'By day, oldest first.',
  ),
})
/** Answer of GET /v2/usage. */
export type UsageBody = TypeOf<typeof usage>

export const apiKey = row('ApiKey', 'An API key: nothing secret.', {
  id: count('Id of the key.'),
  account_id: count('Account that its usage is counted for; a rotated key keeps it.'),
  name: text('Whose it is, or what for.'),
  plan: text('Name of the plan.'),
  created_at: timeS('When it was made.'),
  expires_at: nullable(timeS('When it expires; null: never.')),
  revoked_at: nullable(timeS('When it was revoked; null: it was not.')),
})
/** An API key as the admin API and the command line show it. */
export type KeyBody = TypeOf<typeof apiKey>

const secret = text('The key itself, which is shown here only: its hash is what is stored.')

export const madeKey = row('MadeKey', 'An API key that was just made.', {
  key: secret,
  ...apiKey.fields,
})

export const rotatedKey = row('RotatedKey', 'An API key that takes the place of another.', {
  ...madeKey.fields,
  replaces: count('Id of the key that it replaces.'),
})

export const listedKeys = row('ListedKeys', 'All API keys.', {
  keys: list(
    object(
      part('An API key with what it used.', {
        ...apiKey.fields,
        period: object(
          part('What it used in this period.', {
            requests: sum.requests,
            credits: sum.credits,
          }),
        ),
      }),
    ),
    'Oldest first.',
  ),
})
