/** Solana. */
export const solana = {
  kind: 'solana',
  checked: '2026-11-17',
  aliases: ['sol'],
  genesis_hash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  logo_url:
    'https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/solana/assets/{address}/logo.png',
  native: {
    symbol: 'SOL',
    decimals: 9,
    wrapped_token: 'So11111111111111111111111111111111111111112',
  },
  stables: [
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', // USDC
    'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', // USDT
  ],
  quotes: [],
  programs: [
    {
      address: '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8',
      venue: 'raydiumAmmV4',
      amm: 'raydium',
    },
    {
      address: 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C',
      venue: 'raydiumCpmm',
      amm: 'raydiumcpmm',
    },
    {
      address: 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK',
      venue: 'raydiumClmm',
      amm: 'raydiumclmm',
    },
    {
      address: 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc',
      venue: 'orcaWhirlpool',
      amm: 'whirlpool',
    },
    {
      address: 'LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo',
      venue: 'meteoraDlmm',
      amm: 'meteoradlmm',
    },
    {
      address: 'Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB',
      venue: 'meteoraDammV1',
      amm: 'meteoradammv1',
    },
    {
      address: 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG',
      venue: 'meteoraDammV2',
      amm: 'meteoradammv2',
    },
    {
      address: 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA',
      venue: 'pumpSwap',
      amm: 'pumpswap',
    },
    {
      address: 'HpNfyc2Saw7RKkQd8nEL4khUcuPhQ7WwY1B2qjx8jxFq',
      venue: 'pancakeClmm',
      amm: 'pancakeclmm',
    },
    {
      address: 'REALQqNEomY6cQGZJUGwywTBD2UmDT32rZcNnfxQ5N2',
      venue: 'byreal',
      amm: 'byreal',
    },
  ],
  launch_platforms: [
    { address: '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P', platform: 'pump', amm: 'pump' },
    { address: 'LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj', platform: 'bonk', amm: 'launchlab' },
    { address: 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN', platform: 'meteora', amm: 'dbc' },
    {
      address: 'MoonCVVNZFSYkqNXP6bxHLPL6QQJiMagDL3qcqUQTrG',
      platform: 'moonshot',
      amm: 'moonshot',
    },
  ],
  // Raydium's locker keeps shares of CPMM pools and positions of CLMM pools for good; their owners
  // receive the fees.
  lockers: [
    '3f7GcQFG397GAaEnv51zR6tsTVihYRydnydDD1cXekxH',
    'kN1kEznaF5Xbd8LYuqtEFcxzWSBk5Fv6ygX6SqEGJVy',
  ],
  // Authorities that own the vaults of all pools of a program.
  shared_owners: [
    '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1', // Raydium AMM v4
    'GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL', // Raydium CPMM
    'WLHv2UAZm6z4KyaaELi5pjdbJh6RESMva1Rnn8pJVVh', // Raydium LaunchLab
    'HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC', // Meteora DAMM v2
    'FhVo3mqL8PW5pH5U2CN4XE33DokiyZnUwuGpH2hmHLuM', // Meteora DBC
    'EHcege7dok1iYs7SxL2XzDPvhg6XzMVcx2V5SkMUurJP', // Scorch
  ],
}
