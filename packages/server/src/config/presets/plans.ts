/** The plans that are always there; a configuration may change them and add its own. */
export const plans = {
  free: {
    requests_per_s: 1,
    credits_per_period: 1_000_000,
    sockets_max: 5,
    subscriptions_max: 1_000,
    price_ids_max: 200,
    messages_per_s: 50,
  },
  normal: {
    requests_per_s: 5,
    credits_per_period: 10_000_000,
    sockets_max: 10,
    subscriptions_max: 5_000,
    price_ids_max: 500,
    messages_per_s: 100,
  },
  pro: {
    requests_per_s: 20,
    credits_per_period: 100_000_000,
    sockets_max: 50,
    subscriptions_max: 50_000,
    price_ids_max: 1_000,
    messages_per_s: 500,
  },
  unlimited: {
    requests_per_s: 0,
    credits_per_period: 0,
    sockets_max: 0,
    subscriptions_max: 0,
    price_ids_max: 0,
    messages_per_s: 0,
  },
} as const
