export const requestDelivery = {
  id: 'msg_1',
  attempt: 1,
  type: 'request.created' as const,
  requestId: 'r',
  refCode: 'HS-7K3M9QXA',
  form: null,
  agentName: 'builder',
  question: null,
  secondsLeft: 60,
  endpointsOff: null,
};
