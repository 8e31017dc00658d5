import { WITH_FAULTS } from './courses';
import { describeCourses } from './describe-courses';

describeCourses('a train of statements', {
  courses: WITH_FAULTS,
  hasFaults: true,
  share: 24,
});
