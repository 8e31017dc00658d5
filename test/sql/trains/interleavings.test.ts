import { WITHOUT_FAULT } from './courses';
import { describeCourses } from './describe-courses';

describeCourses('a train of statements', {
  courses: [WITHOUT_FAULT],
  hasFaults: false,
  share: 9,
});
