/** Calls and their answers as they were seen on the local chain, by the name of the message in the document. */
export const exampleCalls = {
  subscribe: [
    {
      jsonrpc: '2.0',
      method: 'subscribe',
      params: ['tx', '0x30c263a69e8223589bf6fc05b95a6d49e8d74ee0', 'local'],
      id: 1,
    },
    {
      jsonrpc: '2.0',
      method: 'subscribe',
      params: ['multi_tx', '0xf05cb91f59f19f39cbd6e0e6da1c5fab9d3c9357', 'local'],
      id: 2,
    },
    {
      jsonrpc: '2.0',
      method: 'subscribe',
      params: ['liq', '0x30c263a69e8223589bf6fc05b95a6d49e8d74ee0', 'local', { snapshot: true }],
      id: 3,
    },
    {
      jsonrpc: '2.0',
      method: 'subscribe',
      params: ['kline', '0x30c263a69e8223589bf6fc05b95a6d49e8d74ee0', 'k15', 'local'],
      id: 4,
    },
    {
      jsonrpc: '2.0',
      method: 'subscribe',
      params: [
        'multi_kline',
        ['0x30c263a69e8223589bf6fc05b95a6d49e8d74ee0', 'k1', 'local'],
        ['0x30c263a69e8223589bf6fc05b95a6d49e8d74ee0', 's1', 'local'],
      ],
      id: 5,
    },
    {
      jsonrpc: '2.0',
      method: 'subscribe',
      params: [
        'price',
        [
          '0x30c263a69e8223589bf6fc05b95a6d49e8d74ee0-local',
          '0xf05cb91f59f19f39cbd6e0e6da1c5fab9d3c9357-local',
        ],
      ],
      id: 6,
    },
    { jsonrpc: '2.0', method: 'subscribe', params: ['trending', 'local'], id: 7 },
    { jsonrpc: '2.0', method: 'subscribe', params: ['new_pairs', 'local'], id: 8 },
    {
      jsonrpc: '2.0',
      method: 'subscribe',
      params: ['wallet', ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8-local']],
      id: 13,
    },
    {
      jsonrpc: '2.0',
      method: 'subscribe',
      params: ['trades', { chain: 'local', min_usd: 1000, venue: 'uniswapv2' }],
      id: 14,
    },
    { jsonrpc: '2.0', method: 'subscribe', params: ['launches', 'local'], id: 15 },
    {
      jsonrpc: '2.0',
      method: 'subscribe',
      params: ['holders', '0xf05cb91f59f19f39cbd6e0e6da1c5fab9d3c9357', 'local'],
      id: 16,
    },
    {
      jsonrpc: '2.0',
      method: 'subscribe',
      params: [
        'screener',
        { chain: 'local', of: 'tokens', min_liquidity: 10000, sort: 'change_1h', limit: 20 },
      ],
      id: 17,
    },
    {
      jsonrpc: '2.0',
      method: 'subscribe',
      params: [
        'tx',
        '0x30c263a69e8223589bf6fc05b95a6d49e8d74ee0',
        'local',
        { since: '889-63864cd8-12', revisions: true, heartbeat: 10 },
      ],
      id: 1,
    },
  ],
  unsubscribe: [
    {
      jsonrpc: '2.0',
      method: 'unsubscribe',
      params: ['tx', '0x30c263a69e8223589bf6fc05b95a6d49e8d74ee0', 'local'],
      id: 9,
    },
    {
      jsonrpc: '2.0',
      method: 'unsubscribe',
      params: ['price', ['0xf05cb91f59f19f39cbd6e0e6da1c5fab9d3c9357-local']],
      id: 10,
    },
    { jsonrpc: '2.0', method: 'unsubscribe', params: [], id: 11 },
  ],
  ping: [{ jsonrpc: '2.0', method: 'ping', id: 12 }],
  subscribed: [
    {
      jsonrpc: '2.0',
      id: 1,
      result: {
        status: 'ok',
        subscribed: [['0x30c263a69e8223589bf6fc05b95a6d49e8d74ee0', 'local']],
        rejected: [],
      },
    },
  ],
  unsubscribed: [
    {
      jsonrpc: '2.0',
      id: 9,
      result: {
        status: 'ok',
        unsubscribed: [['0x30c263a69e8223589bf6fc05b95a6d49e8d74ee0', 'local']],
        rejected: [],
      },
    },
  ],
  pong: [{ jsonrpc: '2.0', id: 12, result: 'pong' }],
  callError: [
    {
      jsonrpc: '2.0',
      id: 4,
      error: {
        code: -32602,
        message:
          '"k2" is no interval; these are: s1, k1, k5, k15, k30, k60, k120, k240, k1440, k10080.',
        data: { code: 'invalid_param', param: 'interval' },
      },
    },
  ],
  keyError: [{ error: { code: -1, message: 'Missing API Key' } }],
} as const
